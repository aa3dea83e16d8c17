import Foundation
import SocketIOProtocol

extension SocketIOServer {
  /// Settings of the namespace to which the standard Socket.IO Admin UI connects.
  public struct Admin: Sendable {
    public var username: String
    /// In clear; it is compared in constant time.
    public var password: String
    public var namespace = "/admin"
    /// Whether the UI may only look: otherwise it may emit events, and make sockets join, leave and disconnect.
    public var isReadOnly = true
    /// What of a socket's data the UI shows; nothing unless set.
    public var shownData: @Sendable (SocketData) -> [String: String] = { _ in [:] }
    /// The name by which the UI distinguishes servers.
    public var serverID = ProcessInfo.processInfo.hostName
    /// How often changes are sent.
    public var updateInterval: Duration = .milliseconds(500)
    /// How often figures are sent.
    public var statsInterval: Duration = .seconds(2)
    /// The most changes sent at a time; when there are more, the list of sockets is sent anew instead.
    public var maxUpdates = 200
    /// The most sockets in the list, and the most namespaces in the figures.
    public var maxSockets = 1000
    /// The most logins that are remembered so that a UI returns without a password.
    public var maxLogins = 100
    /// How long the answer to wrong credentials takes.
    public var failureDelay: Duration = .seconds(1)

    /// - Precondition: The password is not empty.
    public init(username: String, password: String) {
      precondition(!password.isEmpty, "the admin namespace needs a password")
      self.username = username
      self.password = password
    }
  }

  /// Opens a namespace for the standard Socket.IO Admin UI (https://admin.socket.io, whose origin `cors` must allow).
  ///
  /// It shows namespaces with sockets, the sockets, their rooms and transports. It never shows events nor their
  /// arguments, and of a client's handshake only what carries no credentials. Call it once, before clients connect and
  /// before a namespace with the same name is declared.
  public func enableAdmin(_ settings: Admin) {
    let hub = AdminHub(settings, core: core)
    for shard in core.shards { shard.run { $0.admin = hub } }
    namespace(settings.namespace, configure: hub.handlers(for: self))
  }
}
