import MadangCore

/// The host and port that a `Host` field or a URL names: `example.org:8080`, `[::1]:8080`.
struct Authority {
  /// IPv6 in brackets.
  let host: Substring
  let port: Int?

  /// Nil for text that has no such form.
  init?(_ text: some StringProtocol) {
    let text = Substring(text)
    let end = text.hasPrefix("[") ? text.firstIndex(of: "]").map { text.index(after: $0) } : text.firstIndex(of: ":")
    if text.hasPrefix("["), end == nil { return nil }
    host = text[..<(end ?? text.endIndex)]
    let rest = text[host.endIndex...]
    guard !host.isEmpty else { return nil }
    if rest.isEmpty {
      port = nil
    } else {
      guard rest.hasPrefix(":"), let port = Int(rest.dropFirst()), (0...65535).contains(port) else { return nil }
      self.port = port
    }
  }

  /// Whether the host can be no other machine's: a browser and the system's resolver take names below `localhost` for this machine's, too.
  var isLocal: Bool { isLoopback(host) || host.lowercased().hasSuffix(".localhost") }
}
