/// What server and client agree on for `permessage-deflate` (RFC 7692 section 7.1).
struct DeflateAgreement: Equatable, Sendable {
  /// The window the client asks the server to keep to (`server_max_window_bits`); `nil`: it can keep any.
  private(set) var serverMaxWindowBits: Int?

  /// Takes the first offer that can be taken; `nil` if there is none.
  init?(_ offers: [WebSocketExtensionOffer]) {
    guard let agreement = offers.lazy.compactMap(Self.init(taking:)).first else { return nil }
    self = agreement
  }

  /// Declines an offer with a parameter that is unknown, there twice, or has a value it cannot have (section 7).
  private init?(taking offer: WebSocketExtensionOffer) {
    guard offer.name == "permessage-deflate" else { return nil }
    var seen: Set<Parameter> = []
    for parameter in offer.parameters {
      guard let kind = Parameter(rawValue: parameter.name), seen.insert(kind).inserted else { return nil }
      switch (kind, parameter.value) {
      case (.serverNoContextTakeover, nil), (.clientNoContextTakeover, nil), (.clientMaxWindowBits, nil): break
      // The inflater keeps the largest window: whatever the client takes will do.
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

  /// The value of the answer's `Sec-WebSocket-Extensions`. A server may rule out context takeover for either side whether or not the
  /// client has offered it (sections 7.1.1.1 and 7.1.1.2).
  ///
  /// - Parameter windowBits: The server's own window.
  func field(windowBits: Int) -> String {
    let start = "permessage-deflate; server_no_context_takeover; client_no_context_takeover"
    guard let most = serverMaxWindowBits else { return start }
    return "\(start); server_max_window_bits=\(min(most, windowBits))"
  }

  /// Messages must be shorter, in bytes, to be compressed: no distance in one reaches further back than its own length, so that a
  /// shorter one needs no larger window than the client's. (zlib cannot make a window of 8 bits for raw DEFLATE data. There is no
  /// need.)
  ///
  /// - Parameter windowBits: The server's own window.
  func maxMessageSize(windowBits: Int) -> Int {
    guard let most = serverMaxWindowBits, most < windowBits else { return .max }
    return 1 << most
  }
}
