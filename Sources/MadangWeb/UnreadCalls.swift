import Hummingbird
import MadangAPI
import MadangCore
import MadangServer
import SocketIOProtocol

/// The unread counts of many rooms in one answer.
enum UnreadCalls {
  struct Counts: Encodable {
    let counts: [String: Int]
  }

  static let unreads = Endpoint<Counts>(.post, "/web/unreads", .token)
  /// The most rooms of one call.
  static let maxRooms = 500

  static func add(to routes: inout EditionRoutes) {
    routes.on(unreads) { call in
      let (workspace, labels) = try rooms(in: try await call.body.text())
      var dates: [String: Int64] = [:]
      for (room, label) in labels { dates[room] = try call.moment(label) }
      return Counts(
        counts: try await call.madang.unreads(in: .uuid(workspace), after: dates, as: try call.principal))
    }
  }

  /// The workspace, and a date for each room. Throws `.invalid`.
  private static func rooms(in body: [UInt8]) throws -> (workspace: String, rooms: [String: String]) {
    let members = JSONScanner.members(ofObject: body) ?? []
    guard let workspace = members.first(where: { $0.key == "workspace" }).flatMap({ JSONText.string(body[$0.value]) })
    else { throw Failure(.invalid, "workspace: is missing") }
    guard let object = members.first(where: { $0.key == "rooms" }).map({ Array(body[$0.value]) }),
      let dates = JSONScanner.members(ofObject: object)
    else { throw Failure(.invalid, "rooms: must be an object with a date for each room") }
    guard dates.count <= maxRooms else { throw Failure(.invalid, "rooms: up to \(maxRooms) at once") }
    var rooms: [String: String] = [:]
    for date in dates {
      guard let text = JSONText.string(object[date.value]) else { throw Failure(.invalid, "rooms: each needs a date") }
      rooms[date.key] = text
    }
    return (workspace, rooms)
  }
}
