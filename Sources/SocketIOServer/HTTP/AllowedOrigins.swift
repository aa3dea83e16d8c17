import HTTPTypes

extension SocketIOServer {
  /// The origins of web pages that may use a server. Requests without `Origin`, which pages do not send, are allowed, except if the browser
  /// marks them as cross-site.
  ///
  /// Programs send an origin too: Starscream sends the server's own with the scheme of the socket (`ws://host:port`). So only host and port
  /// are compared, and `http`, `https`, `ws` and `wss` are equal.
  public struct AllowedOrigins: Sendable {
    /// Whether pages of the server's own host and port are allowed, as the request's `Host` names them.
    public var own: Bool
    private let others: Set<Place>

    /// - Parameter others: Origins such as `https://chat.example.com:8443`. Invalid ones are ignored.
    public init(own: Bool = true, others: some Sequence<String> = []) {
      self.own = own
      self.others = Set(others.compactMap(Place.init(origin:)))
    }

    /// Whether a text can be read as an origin.
    public static func isOrigin(_ text: String) -> Bool { Place(origin: text) != nil }

    /// Whether a request may be answered.
    func allow(_ headers: HTTPFields, authority: String?) -> Bool {
      guard let origin = headers[.origin] else { return headers[.secFetchSite]?.lowercased() != "cross-site" }
      guard let place = Place(origin: origin) else { return false }
      return others.contains(place) || own && authority.map { Place(authority: $0, like: place) == place } ?? false
    }
  }
}

/// Host and port of an origin, normalised for comparison.
private struct Place: Hashable {
  let host: String
  let port: Int

  /// Nil for a text that is not an origin with a host, such as `null`.
  init?(origin: String) {
    guard let mark = origin.firstRange(of: "://") else { return nil }
    let scheme = origin[..<mark.lowerBound].lowercased()
    guard let standard = ["http": 80, "ws": 80, "https": 443, "wss": 443][scheme] else { return nil }
    self.init(origin[mark.upperBound...], standard: standard)
  }

  /// From a `Host` field. If it has no port, the standard port of its scheme is meant, which only the origin shows.
  init?(authority: String, like origin: Place) {
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

extension HTTPField.Name {
  // A constant valid name, which `init?` cannot know.
  fileprivate static let secFetchSite = Self("Sec-Fetch-Site") ?? .origin
}
