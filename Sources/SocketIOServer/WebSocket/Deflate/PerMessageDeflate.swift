extension SocketIOServer {
  /// Compression of WebSocket messages (`permessage-deflate`, RFC 7692), for clients that offer it.
  ///
  /// Context takeover is always ruled out, in both directions: each message is compressed by itself. So the WebSockets of an event
  /// loop share one compressor and one inflater, and a broadcast is compressed once for all who get it. The two take some 335 KiB
  /// on each loop from the first client that negotiates them until the server ends (with ``windowBits`` 15; 210 KiB with 9), and a
  /// WebSocket some 24 bytes. A message that is received takes its compressed and its inflated form while it is
  /// read. A read of 64 KiB may hold many that inflate to a thousand times their size: after 256 KiB of them, and the message that
  /// reaches that, the loop does other work before it goes on.
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
  /// else has chosen, send it with `compress: false`. That holds for WebSockets only: answers over long-polling are compressed as a
  /// whole, and acknowledgements have no such argument. Where clients may poll, set `Configuration.compressionThreshold` to `nil`
  /// as well, and send secrets in events.
  public struct PerMessageDeflate: Sendable {
    /// The shortest message that is compressed, in bytes. What does not become smaller is sent as it is.
    public var threshold = 1024
    /// The longest message that is compressed, in bytes: compressing is done on an event loop, whose other clients wait. Longer ones
    /// go uncompressed.
    public var maxSize = 256 * 1024
    /// How much work compressing is, from 1, the fastest, to 9, the smallest; what is beyond counts as the nearest. Who has a text of
    /// his own sent to himself or others can choose one that takes much work at the higher levels: a megabyte of two letters in
    /// random order that repeats after 8000 takes a hundred milliseconds at level 6.
    public var level = 1
    /// The compressor's window, as a power of two: 9 to 15, 512 bytes to 32 KiB; what is beyond counts as the nearest. A client that
    /// can keep only a smaller one (`server_max_window_bits`) gets messages compressed that fit into its own, and others
    /// uncompressed.
    public var windowBits = 15

    public init() {}
  }
}

extension SocketIOServer.Configuration {
  /// How an event is encoded.
  ///
  /// - Parameter compress: Whether the sender allows it to be compressed.
  func encoding(compress: Bool) -> OutboundEncoding {
    OutboundEncoding(parser: parser, deflatedSizes: deflatedSizes(compress: compress), mayBeCompressed: compress)
  }

  /// The sizes, in bytes, of which messages are compressed over WebSocket.
  ///
  /// - Parameter compress: Whether the sender allows it.
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
