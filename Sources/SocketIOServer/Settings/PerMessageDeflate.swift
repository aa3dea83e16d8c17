extension SocketIOServer {
  /// Compression of WebSocket messages (`permessage-deflate`, RFC 7692), for clients that offer it.
  ///
  /// Context takeover is always excluded, in both directions: each message is compressed independently. So the WebSockets of an event loop
  /// share one compressor and one inflater, and a broadcast is compressed once for all recipients. The two take about 335 KiB on each loop,
  /// from the first client that negotiates them until the server ends (with ``windowBits`` 15; 210 KiB with 9), and a WebSocket takes about
  /// 24 bytes. A received message takes its compressed and its inflated form while it is read. One read of 64 KiB may contain many messages
  /// that inflate to a thousand times their size: after 256 KiB, and the message that reaches that, the loop does other work before it
  /// continues.
  ///
  /// Events, acknowledgements, attachments and messages of a bare Engine.IO server are compressed, in both revisions of Engine.IO, with TLS
  /// and without. `Configuration.compressionThreshold` controls long-polling. Inflated messages may be as large as
  /// `Configuration.maxHTTPBufferSize`: a larger message is closed with 1009 as soon as it exceeds the limit, and invalid DEFLATE data with
  /// 1007. One byte can inflate to a thousand, which costs time. To limit it, set `Configuration.connectionOwner`, so that `maxLoopPart`
  /// bounds the reading for one owner.
  ///
  /// The first offer without unknown or invalid parameters is accepted; if there is none, the WebSocket opens without compression. A
  /// request whose `Sec-WebSocket-Extensions` is malformed is answered 400 (RFC 6455 section 9.1).
  ///
  /// The length of a compressed message reveals something about its content. If a message contains a secret beside text that another person
  /// has chosen, send it with `compress: false`. That applies to WebSockets only: answers over long-polling are compressed as a whole, and
  /// acknowledgements have no such argument. If clients may poll, also set `Configuration.compressionThreshold` to `nil`, and send secrets
  /// in events.
  public struct PerMessageDeflate: Sendable {
    /// The shortest message that is compressed, in bytes. A message that would not become smaller is sent uncompressed.
    public var threshold = 1024
    /// The longest message that is compressed, in bytes. Compression runs on an event loop, whose other clients wait, so longer messages
    /// are sent uncompressed.
    public var maxSize = 256 * 1024
    /// The compression level, from 1, the fastest, to 9, the smallest; values outside are clamped. At higher levels a client can choose a
    /// text that is slow to compress, and have it sent to itself or others: a megabyte of two letters in random order that repeats after
    /// 8000 takes a hundred milliseconds at level 6.
    public var level = 1
    /// The compressor's window, as a power of two: 9 to 15, 512 bytes to 32 KiB; values outside are clamped. A client with a smaller window
    /// (`server_max_window_bits`) receives messages that fit into its window compressed, and others uncompressed.
    public var windowBits = 15

    public init() {}
  }
}
