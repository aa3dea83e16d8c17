import NIOCore
import SocketIOProtocol

extension SocketIOClient {
  /// The current transport of packets.
  enum Carrier {
    case none
    /// Yielding announces packets for a POST.
    case polling(AsyncStream<Void>.Continuation)
    case webSocket(WebSocketTransport)
  }

  /// The server's answer when it let this client join a namespace.
  struct JoinedSocket {
    let id: String
    let isRecovered: Bool
  }

  /// One connection from its first attempt to its end.
  struct Connection {
    let id: Int
    /// Receives the reason of the connection's end.
    let end: AsyncStream<Failure>.Continuation
    var engine: EngineClientSession
    var socket: SocketClientSession
    var carrier = Carrier.none
    /// The WebSocket of an upgrade in progress.
    var upgrade: WebSocketTransport?
    /// Events of the WebSocket before it was handed over.
    var beforeHandover: [WebSocketTransport.Event] = []
    /// Packets for the next POST.
    var outbox: [EnginePacket] = []
    var isPolling = true
    var isPosting = false
    /// No further request may begin, because the upgrade is about to complete.
    var isPausing = false
    var timer: Scheduled<Void>?
    var wasOpened = false
    /// The sockets that the server has assigned, by namespace.
    var sockets: [String: JoinedSocket] = [:]
    /// The connection is about to end after invalid input. Further input is ignored.
    var hasFailed = false
    var early = EarlyEvents()
    /// Whether a pong waits to be sent.
    var hasPong = false
    /// Pending calls of the application's `Credentials`, by namespace.
    var credentials: [String: Asking] = [:]

    init(id: Int, _ configuration: Configuration, end: AsyncStream<Failure>.Continuation) {
      self.id = id
      self.end = end
      engine = EngineClientSession(revision: configuration.revision, transport: .polling)
      socket = SocketClientSession(
        revision: configuration.revision, parser: configuration.parser, maxAttachments: configuration.maxAttachments,
        maxValues: configuration.maxValuesPerPacket)
    }
  }

  func transmit(_ packet: SocketPacket) { transmit(packet.messages(configuration.parser)) }

  /// Sends packets over the current transport.
  func transmit(_ packets: [EnginePacket]) {
    switch connection?.carrier {
    case .webSocket(let transport): transport.send(packets)
    case .polling(let wakeup):
      connection?.outbox += packets
      wakeup.yield()
    case .some(.none), nil: break
    }
  }

  /// Whether the network accepts more data.
  var isWritable: Bool {
    guard let connection else { return false }
    if case .webSocket(let transport) = connection.carrier { return transport.isWritable }
    return connection.outbox.reduce(0) { $0 + $1.data.count } < configuration.maxWaitingBytes
  }
}
