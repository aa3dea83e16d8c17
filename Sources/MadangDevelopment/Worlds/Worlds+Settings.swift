import MadangCore
import MadangOperations

extension Worlds {
  /// The settings of a world. Throws ``WorldError`` with the mistakes of the given ones.
  func settings(_ given: WorldSettings) throws(WorldError) -> ServerSettings {
    try given.applied { Self.apply(beside: server, &$0, $1) }
  }

  /// The settings of worlds without settings of their own.
  package static func settings(beside server: ServerSettings? = nil) -> ServerSettings {
    var settings = ServerSettings()
    apply(beside: server, &settings) { _ in false }
    return settings
  }

  /// Development mode, cheap passwords and one reading thread; beside a server its access rules, its pages and its sockets.
  private static func apply(
    beside server: ServerSettings?, _ settings: inout ServerSettings, _ isGiven: (String) -> Bool
  ) {
    func take<Value>(_ path: WritableKeyPath<ServerSettings, Value>, _ name: String, _ value: Value) {
      if !isGiven(name) { settings[keyPath: path] = value }
    }
    settings.isDevelopment = true
    settings.database.readers = 1
    settings.database.writers = 1
    take(\.passwords.cost.memory, "password.memory", 8)
    take(\.passwords.cost.passes, "password.passes", 1)
    // No other server has sockets that could lack the last chats of a deletion.
    settings.deletionGrace = .zero
    guard let server else { return }
    (settings.host, settings.developmentToken, settings.keys) = (server.host, server.developmentToken, server.keys)
    (settings.trustedProxies, settings.metricsArePublic) = (server.trustedProxies, server.metricsArePublic)
    (settings.loopbackIsClient, settings.hashingThreads) = (server.loopbackIsClient, server.hashingThreads)
    func same<Value>(_ path: WritableKeyPath<ServerSettings, Value>, _ name: String) {
      take(path, name, server[keyPath: path])
    }
    same(\.origins, "http.origins")
    same(\.limits.hashing, "limits.hashing")
    same(\.web.chat, "web.chat")
    same(\.web.signUp, "web.signup")
    same(\.web.name, "web.name")
    same(\.web.colour, "web.colour")
    same(\.web.language, "web.language")
    // No command makes an administrator of a world, and all worlds would make backups in one directory.
    settings.web.admin.isOn = false
    same(\.sockets.access, "socket.access")
    same(\.sockets.recentWindow, "socket.recent.window")
    same(\.sockets.origins, "socket.origins")
    same(\.sockets.allowsJSONP, "socket.jsonp")
    same(\.sockets.allowsEIO3, "socket.eio3")
    same(\.sockets.pingInterval, "socket.ping.interval")
    same(\.sockets.pingTimeout, "socket.ping.timeout")
    same(\.sockets.reviewInterval, "socket.review")
  }
}
