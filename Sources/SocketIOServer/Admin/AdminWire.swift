import Foundation
import HTTPTypes
import NIOCore
import SocketIOProtocol

// The JSON of the Admin UI's protocol, with the names and formats of @socket.io/admin-ui 0.5.

/// Something that happened to a socket.
struct AdminChange {
  let kind: SocketChange
  let date: Date

  var event: String {
    switch kind {
    case .connected: "socket_connected"
    case .upgraded: "socket_updated"
    case .disconnected: "socket_disconnected"
    case .joinedRoom: "room_joined"
    case .leftRoom: "room_left"
    }
  }

  func arguments(_ settings: SocketIOServer.Admin) throws -> [[UInt8]] {
    let time = try JSONText.encoded(date.formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: true)))
    switch kind {
    case .connected(let socket):
      return [try JSONText.encoded(AdminSocket(socket, settings)), time]
    case .upgraded(let namespace, let id, let transport):
      return [try JSONText.encoded(["id": id, "nsp": namespace, "transport": transport.rawValue])]
    case .disconnected(let namespace, let id, let reason):
      return try [namespace, id, reason.rawValue].map(JSONText.encoded) + [time]
    case .joinedRoom(let namespace, let id, let room), .leftRoom(let namespace, let id, let room):
      return try [namespace, room, id].map(JSONText.encoded) + [time]
    }
  }
}

struct AdminConfig: Encodable {
  let supportedFeatures: [String]

  /// Without `ALL_EVENTS` and `AGGREGATED_EVENTS`: the UI shows sockets and rooms, but no events.
  static let allFeatures = ["EMIT", "JOIN", "LEAVE", "DISCONNECT", "MJOIN", "MLEAVE", "MDISCONNECT"]
}

struct AdminStats: Encodable {
  struct Namespace: Encodable {
    let name: String
    let socketsCount: Int
  }

  let serverId: String
  let hostname: String
  let pid: Int32
  /// In seconds.
  let uptime: Double
  let clientsCount: Int
  let pollingClientsCount: Int
  let namespaces: [Namespace]
}

struct AdminSocket: Encodable {
  struct Handshake: Encodable {
    let address: String
    let headers: [String: String]
    let query: [String: String]
    let issued: Int64
    let time: String
    let secure: Bool
    let url: String
    let xdomain: Bool
  }

  let id: String
  let clientId: String
  let transport: String
  let nsp: String
  let data: [String: String]
  let handshake: Handshake
  let rooms: [String]

  /// The length of the session id's prefix that the UI gets: enough to distinguish clients, too little to act as one.
  private static let clientIDLength = 12
  /// Header fields of a handshake that carry no credentials.
  private static let headers: Set<String> = ["host", "origin", "user-agent", "accept-language", "x-forwarded-for"]
  private static let queryItems: Set<String> = ["EIO", "transport"]

  init(_ socket: SocketSnapshot, _ settings: SocketIOServer.Admin) {
    id = socket.id
    clientId = String(SessionID.secret(of: socket.sessionID).prefix(Self.clientIDLength))
    transport = socket.transport.rawValue
    nsp = socket.namespace
    data = settings.shownData(socket.data)
    rooms = [socket.id] + socket.rooms.sorted()
    let shake = socket.handshake
    let fields = shake.headers.filter { Self.headers.contains($0.name.canonicalName) }
    let items = shake.query.items.filter { Self.queryItems.contains($0.name) }
    let issued = Date(timeIntervalSince1970: Double(shake.issued) / 1000)
    handshake = Handshake(
      address: shake.remoteAddress?.ipAddress ?? "",
      headers: Dictionary(fields.map { ($0.name.canonicalName, $0.value) }) { _, last in last },
      query: Dictionary(items.map { ($0.name, $0.value) }) { _, last in last },
      issued: shake.issued, time: issued.formatted(.iso8601), secure: false, url: "",
      xdomain: shake.headers[.origin] != nil)
  }
}
