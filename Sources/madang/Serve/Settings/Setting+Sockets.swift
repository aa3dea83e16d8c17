import MadangServer
import SocketIOServer

extension Setting {
  static let sockets: [Setting] = [
    Setting(
      key: "socket.access", help: "who may join a room's socket: token, cookie, recent or open",
      read: { text, loaded throws(Invalid) in
        guard let access = SocketAccess(rawValue: text) else {
          throw Invalid(cure: "write token, cookie, recent or open")
        }
        loaded.settings.socketAccess = access
      }, show: { $0.settings.socketAccess.rawValue }),
    flag("socket.eio3", "whether old clients (Socket.IO 1 and 2) are served", \.settings.allowsEIO3),
    Setting(
      key: "socket.origins", help: "origins of other web pages that may use sockets: https://chat.example.com,...",
      read: { text, loaded throws(Invalid) in
        loaded.settings.socketOrigins = try text.split(separator: ",").map { part throws(Invalid) in
          guard SocketIOServer.AllowedOrigins.isOrigin(String(part)) else {
            throw Invalid(cure: "write origins like https://chat.example.com or http://localhost:3000")
          }
          return String(part)
        }
      }, show: { $0.settings.socketOrigins.joined(separator: ",") }),
    flag("socket.jsonp", "whether sockets are served to pages by script tags", \.settings.allowsJSONP),
    milliseconds("socket.recent.window", "seconds an address stays fresh", \.settings.socketRecentWindow),
    integer("socket.ping.interval", "seconds between pings of a socket", \.settings.socketPingInterval, 1...3600),
    integer(
      "socket.ping.timeout", "seconds a socket may leave a ping unanswered", \.settings.socketPingTimeout, 1...3600),
    integer(
      "socket.review", "seconds until sockets of disabled accounts are disconnected", \.settings.socketReviewInterval,
      1...3600),
  ]
}
