extension SocketIOServer {
  /// Compression of WebSocket messages (`permessage-deflate`, RFC 7692), for clients that offer it.
  ///
  /// Context takeover is always ruled out, in both directions: each message is compressed by itself. So the WebSockets of an event
  /// loop share one compressor and one inflater, and a broadcast is compressed once for all who get it. The two take some 335 KiB
  /// on each loop from the first client that negotiates them until the server ends (with ``windowBits`` 15; 210 KiB with 9), and a
  /// WebSocket some 24 bytes. A message that is received takes its compressed and its inflated form while it is read.
  ///
  /// Events, acknowledgements, attachments and messages of a bare Engine.IO server are compressed, in both revisions of Engine.IO,
  /// with TLS and without; what is sent over long-polling is `Configuration.compressionThreshold`'s concern. What clients compress
  /// may become as large as `Configuration.maxHTTPBufferSize`: a message beyond is closed with 1009 as soon as it is, and one that
  /// is no valid DEFLATE data with 1007. A byte can become a thousand, which costs time: where that is a concern, set
  /// `Configuration.connectionOwner`, so that `maxLoopPart` bounds what reading for one owner takes.
  ///
  /// The first offer is taken that asks for nothing unknown or invalid; without one the WebSocket opens without compression. A request
  /// whose `Sec-WebSocket-Extensions` breaks the grammar is answered 400 (RFC 6455 section 9.1).
  ///
  /// The length of a compressed message tells something of what is in it. Where a message has a secret beside text that somebody
  /// else has chosen, send it with `compress: false`.
  public struct PerMessageDeflate: Sendable {
    /// The shortest message that is compressed, in bytes. What does not become smaller is sent as it is.
    public var threshold = 1024
    /// How much work compressing is, from 1, the fastest, to 9, the smallest; what is beyond counts as the nearest.
    public var level = 6
    /// The compressor's window, as a power of two: 9 to 15, 512 bytes to 32 KiB; what is beyond counts as the nearest. A client that
    /// can keep only a smaller one (`server_max_window_bits`) gets messages compressed that fit into its own, and others
    /// uncompressed.
    public var windowBits = 15

    public init() {}
  }
}

extension SocketIOServer.Configuration {
  /// From how many bytes messages are compressed over WebSocket.
  ///
  /// - Parameter compress: Whether the sender allows it.
  func deflateThreshold(compress: Bool) -> Int {
    guard compress, let perMessageDeflate else { return .max }
    return perMessageDeflate.threshold
  }
}
