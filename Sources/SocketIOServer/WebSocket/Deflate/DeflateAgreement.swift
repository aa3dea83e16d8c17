/// The parameters of `permessage-deflate` that server and client agreed on (RFC 7692 section 7.1).
struct DeflateAgreement: Equatable, Sendable {
  /// The window that the client demands of the server (`server_max_window_bits`); `nil`: any.
  private(set) var serverMaxWindowBits: Int?

  /// Accepts the first acceptable offer; `nil` if there is none.
  init?(_ offers: [WebSocketExtensionOffer]) {
    guard let agreement = offers.lazy.compactMap(Self.init(taking:)).first else { return nil }
    self = agreement
  }

  /// Declines an offer with a parameter that is unknown, repeated, or has an invalid value (RFC 7692 section 7).
  private init?(taking offer: WebSocketExtensionOffer) {
    guard offer.name == "permessage-deflate" else { return nil }
    var seen: Set<Parameter> = []
    for parameter in offer.parameters {
      guard let kind = Parameter(rawValue: parameter.name), seen.insert(kind).inserted else { return nil }
      switch (kind, parameter.value) {
      case (.serverNoContextTakeover, nil), (.clientNoContextTakeover, nil), (.clientMaxWindowBits, nil): break
      // The inflater uses the largest window, so any window of the client is acceptable.
      case (.clientMaxWindowBits, let text?) where Self.windowBits(text) != nil: break
      case (.serverMaxWindowBits, let text?):
        guard let bits = Self.windowBits(text) else { return nil }
        serverMaxWindowBits = bits
      default: return nil
      }
    }
  }

  private enum Parameter: String {
    case serverNoContextTakeover = "server_no_context_takeover"
    case clientNoContextTakeover = "client_no_context_takeover"
    case serverMaxWindowBits = "server_max_window_bits"
    case clientMaxWindowBits = "client_max_window_bits"
  }

  /// A decimal number from 8 to 15 without leading zeros (section 7.1.2).
  private static func windowBits(_ text: String) -> Int? {
    guard let bits = Int(text), (8...15).contains(bits), text == String(bits) else { return nil }
    return bits
  }

  /// The value of the answer's `Sec-WebSocket-Extensions`. A server may exclude context takeover for either side even if the client did not
  /// offer it (RFC 7692 sections 7.1.1.1 and 7.1.1.2).
  ///
  /// - Parameter windowBits: The server's own window.
  func field(windowBits: Int) -> String {
    let start = "permessage-deflate; server_no_context_takeover; client_no_context_takeover"
    guard let most = serverMaxWindowBits else { return start }
    return "\(start); server_max_window_bits=\(min(most, windowBits))"
  }

  /// The size in bytes below which messages are compressed. A message shorter than the client's window cannot refer further back than that
  /// window, so the server's larger window does no harm. (zlib cannot make a window of 8 bits for raw DEFLATE data; this avoids the need.)
  ///
  /// - Parameter windowBits: The server's own window.
  func maxMessageSize(windowBits: Int) -> Int {
    guard let most = serverMaxWindowBits, most < windowBits else { return .max }
    return 1 << most
  }
}
