/// Host and port of the origin of a web page, normalised for comparison.
public struct WebOrigin: Hashable, Sendable {
  private let host: String
  private let port: Int

  /// Nil for a text that is not an origin with a host, such as `null`.
  public init?(_ origin: String) {
    guard let mark = origin.firstRange(of: "://") else { return nil }
    let scheme = origin[..<mark.lowerBound].lowercased()
    guard let standard = ["http": 80, "ws": 80, "https": 443, "wss": 443][scheme] else { return nil }
    self.init(origin[mark.upperBound...], standard: standard)
  }

  /// From a `Host` field. If it has no port, the standard port of its scheme is meant, which only the origin shows.
  public init?(authority: String, like origin: WebOrigin) {
    self.init(authority[...], standard: [80, 443].contains(origin.port) ? origin.port : 80)
  }

  private init?(_ text: Substring, standard: Int) {
    // [2001:db8::1]:8080
    let afterHost = text.lastIndex(of: "]").map { text.index(after: $0) } ?? text.startIndex
    let colon = text[afterHost...].firstIndex(of: ":")
    let host = text[..<(colon ?? text.endIndex)].lowercased()
    guard !host.isEmpty, !host.contains("/"), !host.contains("@") else { return nil }
    self.host = host
    guard let colon else {
      port = standard
      return
    }
    guard let port = Int(text[text.index(after: colon)...]), (0...65535).contains(port) else { return nil }
    self.port = port
  }
}
