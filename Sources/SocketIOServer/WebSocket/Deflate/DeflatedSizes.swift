extension SocketIOServer.Configuration {
  /// How an event is encoded.
  ///
  /// - Parameter compress: Whether the sender allows compression.
  func encoding(compress: Bool) -> OutboundEncoding {
    OutboundEncoding(parser: parser, deflatedSizes: deflatedSizes(compress: compress), mayBeCompressed: compress)
  }

  /// The sizes, in bytes, of WebSocket messages that are compressed.
  ///
  /// - Parameter compress: Whether the sender allows compression.
  func deflatedSizes(compress: Bool) -> DeflatedSizes {
    guard compress, let perMessageDeflate else { return .none }
    return DeflatedSizes(from: perMessageDeflate.threshold, through: perMessageDeflate.maxSize)
  }
}

/// The sizes, in bytes, of messages that are compressed.
struct DeflatedSizes: Sendable {
  static let none = DeflatedSizes(from: .max, through: 0)

  private let least: Int
  private let most: Int

  init(from least: Int, through most: Int = .max) {
    self.least = least
    self.most = most
  }

  func contains(_ size: Int) -> Bool { size >= least && size <= most }
}
