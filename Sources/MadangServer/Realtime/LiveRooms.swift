import MadangAPI
import MadangCore
import SocketIOServer
import Storage

/// The sockets in rooms, and the parts that deliver commits to them.
final class LiveRooms: Sendable {
  let sockets: RoomSockets
  let dispatcher: Dispatcher
  private let announcements: Announcements

  init(
    _ madang: Madang, _ callers: Callers, _ sockets: RoomSockets, _ announcements: Announcements,
    after latest: [Int64], channel: NotificationChannel?, notices: CommitNotices?,
    deleted: @escaping @Sendable () -> Void
  ) {
    (self.sockets, self.announcements) = (sockets, announcements)
    dispatcher = Dispatcher(madang: madang, after: latest, channel: channel, notices: notices) {
      callers.tries.apply($0)
      callers.recent.apply($0)
    } act: { change, isLate in
      guard announcements.isConnected else { return }
      sockets.act(on: change, isLate: isLate)
      switch change {
      case .roomDeleted, .workspaceDeleted: deleted()
      case .membershipEnded, .membershipBegan, .sessionEnded, .sessionsEnded: break
      }
    } recheck: {
      sockets.checkAllAgain()
    } deliver: { chat in
      guard announcements.isConnected else { return }
      sockets.deliver(chat)
    }
  }

  /// Stops all delivery.
  func fallSilent() { announcements.disconnect() }

  /// Declares the namespaces: `/` accepts every client and never emits; a room's admits its readers.
  /// No event of a client has a handler: all are ignored, none is relayed.
  func declare(in socketIO: SocketIOServer) {
    socketIO.namespace(where: { $0 == "/" }, configure: NamespaceHandlers())
    // Weak, because the Socket.IO server belongs to objects that refer back to it and would never be freed.
    socketIO.namespace(
      where: { RoomNamespace(name: $0) != nil },
      configure: NamespaceHandlers(
        admit: { [weak self] request in
          guard let self else { return .refuse(message: ErrorCode.serverFailure.rawValue) }
          return await sockets.admit(request, dispatcher)
        },
        connected: { [weak self] socket in
          guard let self else { return }
          sockets.connected(socket, dispatcher)
        },
        disconnected: { [weak self] socket, _ in
          guard let self else { return }
          sockets.disconnected(socket, dispatcher)
        }))
  }
}
