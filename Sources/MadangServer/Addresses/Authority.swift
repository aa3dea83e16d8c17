import MadangCore

/// The host and port of a `Host` field or a URL: `example.org:8080`, `[::1]:8080`.
struct Authority {
  /// IPv6 in brackets.
  let host: Substring
  let port: Int?

  /// Nil for text of another form.
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

  /// Whether the host can only be this machine: browsers and the system's resolver also take names below `localhost` for
  /// it.
  var isLocal: Bool { isLoopback(host) || host.lowercased().hasSuffix(".localhost") }

  /// Whether an origin or URL is of a page that this machine serves, by http or https. Other schemes, such as those of apps and extensions,
  /// may be followed by any host.
  static func isLocalPage(_ url: String) -> Bool {
    guard let mark = url.firstRange(of: "://"), ["http", "https"].contains(url[..<mark.lowerBound].lowercased()) else {
      return false
    }
    return Authority(url[mark.upperBound...].prefix { $0 != "/" })?.isLocal ?? false
  }
}
