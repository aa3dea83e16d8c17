import SocketIOProtocol
import SocketIOServer

/// The name of a packet in rules: the Socket.IO type of messages, otherwise the Engine.IO type.
enum PacketName: String, CaseIterable, Sendable {
  case open, close, ping, pong, message, upgrade, noop
  case connect, disconnect, event, ack, connectError

  /// Whether it is a Socket.IO type, which is inside an Engine.IO message.
  var isOfSocketIO: Bool {
    switch self {
    case .open, .close, .ping, .pong, .message, .upgrade, .noop: false
    case .connect, .disconnect, .event, .ack, .connectError: true
    }
  }

  /// - Parameter packet: The content of a message that is not an attachment.
  init(_ kind: EnginePacket.Kind, _ packet: SocketPacket?) {
    switch packet?.kind {
    case .connect: self = .connect
    case .disconnect: self = .disconnect
    case .event: self = .event
    case .ack: self = .ack
    case .connectError: self = .connectError
    case nil: self = Self(kind)
    }
  }

  private init(_ kind: EnginePacket.Kind) {
    switch kind {
    case .open: self = .open
    case .close: self = .close
    case .ping: self = .ping
    case .pong: self = .pong
    case .message: self = .message
    case .upgrade: self = .upgrade
    case .noop: self = .noop
    }
  }
}
