import NIOCore
import SocketIOProtocol

extension SocketIOClient {
  /// What carries packets now.
  enum Carrier {
    case none
    /// Yielding tells that there is something to post.
    case polling(AsyncStream<Void>.Continuation)
    case webSocket(WebSocketTransport)
  }

  /// What the server said when it let this client into a namespace.
  struct JoinedSocket {
    let id: String
    let isRecovered: Bool
  }

  /// One connection from its first attempt to its end.
  struct Connection {
    let id: Int
    /// Takes the reason of its end.
    let end: AsyncStream<Failure>.Continuation
    var engine: EngineClientSession
    var socket: SocketClientSession
    var carrier = Carrier.none
    /// The WebSocket that is to become the carrier.
    var upgrade: WebSocketTransport?
    /// What came before the WebSocket was handed over.
    var beforeHandover: [WebSocketTransport.Event] = []
    /// What waits for the next POST.
    var outbox: [EnginePacket] = []
    var isPolling = true
    var isPosting = false
    /// No further request may begin, as the upgrade is about to be completed.
    var isPausing = false
    var timer: Scheduled<Void>?
    var wasOpened = false
    /// The sockets that the server has given, by namespace.
    var sockets: [String: JoinedSocket] = [:]
    /// It is about to end. What still comes follows something that was not understood, so it is not told.
    var hasFailed = false
    var early = EarlyEvents()
    /// Whether an answer to a ping waits to be sent.
    var hasPong = false
    /// Those that ask the application for its credentials.
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

  /// Sends packets by whatever carries them now.
  func transmit(_ packets: [EnginePacket]) {
    switch connection?.carrier {
    case .webSocket(let transport): transport.send(packets)
    case .polling(let wakeup):
      connection?.outbox += packets
      wakeup.yield()
    case .some(.none), nil: break
    }
  }

  /// Whether the network keeps up.
  var isWritable: Bool {
    guard let connection else { return false }
    if case .webSocket(let transport) = connection.carrier { return transport.isWritable }
    return connection.outbox.reduce(0) { $0 + $1.data.count } < configuration.maxWaitingBytes
  }
}
