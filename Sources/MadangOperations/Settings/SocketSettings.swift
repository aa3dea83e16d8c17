import MadangCore
import SocketIOProtocol

public struct SocketSettings: Sendable {
  public var access = setting(
    "socket.access", SocketAccess.recent, .word, "who may join a room's socket: token, cookie, recent or open")
  public var allowsEIO3 = setting(
    "socket.eio3", true, .flag, "whether old clients (Socket.IO 1 and 2) are served")
  /// In addition to the server's own origin.
  public var origins: [String] = setting(
    "socket.origins", [], .origins,
    "origins of other websites that may use sockets: https://chat.example.com,...")
  /// With script tags, any page can read what its sockets receive.
  public var allowsJSONP = setting(
    "socket.jsonp", false, .flag, "whether old browsers may poll by script tags (JSONP)")
  /// In milliseconds; for sockets without credentials.
  public var recentWindow: Int64 = setting(
    "socket.recent.window", 24 * 3_600_000, .seconds, "seconds after a call in which its address counts as recent")
  public var pingInterval = setting(
    "socket.ping.interval", 25, .seconds(1...3600), "seconds between pings of a socket")
  public var pingTimeout = setting(
    "socket.ping.timeout", 20, .seconds(1...3600), "seconds a client may take to answer a ping")
  public var reviewInterval = setting(
    "socket.review", 5, .seconds(1...3600), "seconds until sockets of disabled accounts are disconnected")
  /// How long a connect without membership is held before it is refused.
  public var hold: Duration = .seconds(3)

  public init() {}
}

extension SettingForm where Value == [String] {
  static var origins: Self {
    Self(
      "write origins like https://chat.example.com or http://localhost:3000",
      read: { text in
        let origins = text.split(separator: ",").map(String.init)
        return origins.allSatisfy { WebOrigin($0) != nil } ? origins : nil
      }, write: { $0.joined(separator: ",") })
  }
}
