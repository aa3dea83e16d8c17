import Foundation
import SocketIOProtocol

extension SocketIOServer {
  /// Settings of the namespace to which the standard Socket.IO Admin UI connects.
  public struct Admin: Sendable {
    public var username: String
    /// In plain text; it is compared in constant time.
    public var password: String
    public var namespace = "/admin"
    /// Whether the UI may only watch. Otherwise it may emit events, and make sockets join, leave and disconnect.
    public var isReadOnly = true
    /// Selects the parts of a socket's data that the UI shows; nothing by default.
    public var shownData: @Sendable (SocketData) -> [String: String] = { _ in [:] }
    /// The name that distinguishes this server in the UI.
    public var serverID = ProcessInfo.processInfo.hostName
    /// How often changes are sent.
    public var updateInterval: Duration = .milliseconds(500)
    /// How often statistics are sent.
    public var statsInterval: Duration = .seconds(2)
    /// The most changes sent at a time. If there are more, the whole list of sockets is sent instead.
    public var maxUpdates = 200
    /// The most sockets in the list, and the most namespaces in the statistics.
    public var maxSockets = 1000
    /// The most logins that are remembered, so that a UI can return without the password.
    public var maxLogins = 100
    /// The delay of the answer to wrong credentials.
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
  /// It shows namespaces with sockets, the sockets, their rooms and transports. It never shows events or their arguments, and of a client's
  /// handshake only parts without credentials. Call it once, before clients connect and before a namespace with the same name is declared.
  public func enableAdmin(_ settings: Admin) {
    let hub = AdminHub(settings, core: core)
    for shard in core.shards { shard.run { $0.observer = hub } }
    namespace(settings.namespace, configure: hub.handlers(for: self))
  }
}
