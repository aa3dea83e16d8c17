import SocketIOProtocol
import SocketIOServer

/// How rules call packets: by the type of Socket.IO for messages, else by that of Engine.IO.
enum PacketName: String, CaseIterable, Sendable {
  case open, close, ping, pong, message, upgrade, noop
  case connect, disconnect, event, ack, connectError

  /// Whether it is a type of Socket.IO, and so travels in a message of Engine.IO.
  var isOfSocketIO: Bool {
    switch self {
    case .open, .close, .ping, .pong, .message, .upgrade, .noop: false
    case .connect, .disconnect, .event, .ack, .connectError: true
    }
  }

  /// - Parameter packet: What a message holds, if it is no attachment.
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
