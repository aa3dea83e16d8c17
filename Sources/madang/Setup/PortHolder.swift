import Foundation

/// A program that listens on a port of this machine.
struct PortHolder: Equatable {
  /// `a program` if it is unknown.
  let name: String
  let process: Int?

  var isMadang: Bool { name == "madang" }
  var words: String { process.map { "\(name) (process \($0))" } ?? name }
}

extension Machine {
  /// The program that listens on a TCP port, at any address; nil if the port is free, or the system does not tell.
  func holder(of port: Int) -> PortHolder? {
    let tables = ["net/tcp", "net/tcp6"].compactMap(system)
    let sockets = tables.flatMap { table in
      table.split(separator: "\n").dropFirst().compactMap { Self.socket(listeningOn: port, in: $0) }
    }
    guard !sockets.isEmpty else { return nil }
    let names = Set(sockets.map { "socket:[\($0)]" })
    let files = FileManager.default
    for process in ((try? files.contentsOfDirectory(atPath: path("/proc"))) ?? []).compactMap(Int.init).sorted() {
      let folder = path("/proc/\(process)/fd")
      let isHolder = ((try? files.contentsOfDirectory(atPath: folder)) ?? []).contains { descriptor in
        (try? files.destinationOfSymbolicLink(atPath: "\(folder)/\(descriptor)")).map(names.contains) ?? false
      }
      guard isHolder else { continue }
      let name = system("\(process)/comm")?.trimmingCharacters(in: .whitespacesAndNewlines)
      return PortHolder(name: name ?? "a program", process: process)
    }
    return PortHolder(name: "a program", process: nil)
  }

  /// The number of the socket in a line of `/proc/net/tcp` that listens on a port.
  private static func socket(listeningOn port: Int, in line: Substring) -> Substring? {
    let columns = line.split(separator: " ")
    // Columns: number, local address, remote address, state (0A: listening), and the socket's number as the tenth.
    guard columns.count > 9, columns[3] == "0A", let text = columns[1].split(separator: ":").last,
      Int(text, radix: 16) == port
    else { return nil }
    return columns[9]
  }
}
