/// Whether a host of a URL or a setting is this machine and nothing else: `localhost`, or a loopback address as the system's calls
/// read it. Other spellings of an address, such as `127.1`, are names, which may lead anywhere, as `127.evil.example` does.
package func isLoopback(_ host: some StringProtocol) -> Bool {
  IPAddress(host: host)?.isLoopback ?? (host.lowercased() == "localhost")
}

/// A host as a URL has it: IPv6 in brackets.
package func urlHost(_ host: String) -> String {
  host.contains(":") && !host.hasPrefix("[") ? "[\(host)]" : host
}

/// By which host a program of this machine calls a server that listens at `host`.
package func localURLHost(_ host: String) -> String {
  switch IPAddress(host: host)?.text {
  case "0.0.0.0": "127.0.0.1"
  case "::": "[::1]"
  default: urlHost(host)
  }
}

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
