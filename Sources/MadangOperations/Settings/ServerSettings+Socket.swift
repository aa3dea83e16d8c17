import MadangCore

extension ServerSettings {
  private static let socketScheme = "unix:"
  /// The longest path, in bytes: the system takes 103, and the server binds the socket to a name with its process number first.
  private static let longestSocketPath = 97

  /// The path of the Unix socket to listen on; nil for an address.
  package var socketPath: String? {
    host.hasPrefix(Self.socketScheme) ? String(host.dropFirst(Self.socketScheme.count)) : nil
  }

  /// Whether only programs of this machine can connect.
  package var isForThisMachine: Bool { socketPath != nil || isLoopback(host) }

  /// Where the server listens, for people.
  /// - Parameter port: The port that it has.
  package func place(port: Int) -> String {
    socketPath == nil ? "\(tls.isUsed ? "https" : "http")://\(urlHost(host)):\(port)" : host
  }

  /// Problems of a Unix socket, each with a cure.
  func socketProblems() -> [String] {
    guard let socketPath else { return [] }
    var problems: [String] = []
    if !socketPath.hasPrefix("/") || socketPath.hasSuffix("/") || socketPath.utf8.count > Self.longestSocketPath {
      problems.append(
        "host: '\(host)' must be unix: and a whole path of at most \(Self.longestSocketPath) bytes, like "
          + "unix:/run/madang/madang.sock")
    }
    if tls.isUsed {
      problems.append(
        "host: a Unix socket is for a proxy, which has the certificate; leave out tls.*, or name an address")
    }
    return problems
  }
}

extension SettingForm where Value == Int {
  /// Permissions of a file, in octal digits.
  static var mode: Self {
    Self(
      "write octal digits like 660",
      read: { text in
        guard (3...4).contains(text.utf8.count), let mode = Int(text, radix: 8), mode <= 0o777 else { return nil }
        return mode
      }, write: { String($0, radix: 8) })
  }
}
