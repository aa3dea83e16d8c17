/// The compressor and the inflater of an event loop, for all its WebSockets.
final class DeflateStreams {
  let deflater: Deflater
  let inflater: Inflater
  /// The compressor's window.
  let windowBits: Int

  /// - Returns: `nil` if there is no memory for them.
  init?(_ settings: SocketIOServer.PerMessageDeflate) {
    windowBits = min(15, max(9, settings.windowBits))
    guard let deflater = Deflater(level: min(9, max(1, settings.level)), windowBits: windowBits),
      let inflater = Inflater()
    else { return nil }
    self.deflater = deflater
    self.inflater = inflater
  }
}

/// Compression that a WebSocket has negotiated.
struct LinkDeflation {
  let streams: DeflateStreams
  let agreement: DeflateAgreement

  /// The value of the answer's `Sec-WebSocket-Extensions`.
  var field: String { agreement.field(windowBits: streams.windowBits) }

  /// The size in bytes below which messages are compressed.
  var maxMessageSize: Int { agreement.maxMessageSize(windowBits: streams.windowBits) }
}
