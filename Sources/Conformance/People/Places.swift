import MadangAPI
import NIOHTTP1

struct Workspace: Sendable {
  /// For further calls.
  let path: String
  /// What creating it answered.
  let object: JSON

  var id: String { get throws { try object.id("workspace_id") } }
  var myChannels: String { path + (object["coverImage"] == nil ? "/channels/my" : "/my-channels") }
  var channels: String { path + "/channels" }
  var members: String { path + "/members" }
  var directMessages: String { path + "/dms" }
  /// Leaving it, or one of its channels.
  var leave: String { path + "/" + leaveWord }
  var leaveWord: String { object["coverImage"] == nil ? "leave" : "exit" }
}

/// A channel or a room for direct messages.
struct Room: Sendable {
  enum Kind: Sendable {
    case channel
    /// Between two people.
    case directMessage([Person])
  }

  let kind: Kind
  let workspace: Workspace
  /// What creating it answered.
  let object: JSON
  /// For posting, and counting what is unread.
  let path: String

  var id: String {
    get throws {
      switch kind {
      case .channel: try object.id("channel_id")
      case .directMessage: try object.id("room_id")
      }
    }
  }

  var chats: String { path + "/chats" }
  var unreads: String { path + "/unreads" }
  var leave: String { path + "/" + workspace.leaveWord }
  var event: String { if case .channel = kind { "channel" } else { "dm" } }

  var namespace: String {
    get throws {
      switch kind {
      case .channel: RoomNamespace(.channel, try id).name
      case .directMessage: RoomNamespace(.dm, try id).name
      }
    }
  }

  /// Where a person reads: edition 2024-01 names the other one of a direct message.
  func historyPath(for reader: Person) throws -> String {
    guard case .directMessage(let people) = kind, !reader.trial.isOctober,
      let other = people.first(where: { $0.email != reader.email })
    else { return chats }
    return "\(workspace.directMessages)/\(try other.id)/chats"
  }
}

extension Person {
  func workspace(_ name: String = Trial.newName(), description: String? = nil) async throws -> Workspace {
    var parts: [RequestBody.Part] = [.text("name", name)]
    if let description { parts.append(.text("description", description)) }
    let object = try await call(.POST, "workspaces", .multipart(parts)).json()
    return Workspace(path: "workspaces/\(try object.id("workspace_id"))", object: object)
  }

  func channel(_ name: String = "ios", in workspace: Workspace) async throws -> Room {
    let object = try await post(workspace.channels, ["name": .text(name)])
    let segment = trial.isOctober ? try object.id("channel_id") : percentEncoded(name)
    return Room(kind: .channel, workspace: workspace, object: object, path: "\(workspace.channels)/\(segment)")
  }

  /// The channel that a workspace comes with.
  func defaultChannel(of workspace: Workspace) async throws -> Room {
    guard let object = try await list(workspace.myChannels).first else {
      throw Violation(expected: "a default channel", seen: "none")
    }
    let segment = trial.isOctober ? try object.id("channel_id") : percentEncoded(try object.text("name"))
    return Room(kind: .channel, workspace: workspace, object: object, path: "\(workspace.channels)/\(segment)")
  }

  /// Opens the room with somebody, as the edition has it.
  func openDirectMessage(with otherID: JSON, in workspace: Workspace) async throws -> Answer {
    if trial.isOctober {
      return try await call(.POST, workspace.directMessages, .json(["opponent_id": otherID]))
    }
    let id = try (["user_id": otherID] as JSON).id("user_id")
    return try await call(.GET, "\(workspace.directMessages)/\(id)/chats")
  }

  func directMessage(with other: Person, in workspace: Workspace) async throws -> Room {
    let object = try await openDirectMessage(with: try other.userID, in: workspace).json()
    return Room(
      kind: .directMessage([self, other]), workspace: workspace, object: object,
      path: "\(workspace.directMessages)/\(try object.id("room_id"))")
  }

  func invite(_ other: Person, to workspace: Workspace) async throws {
    _ = try await post(workspace.members, ["email": .text(other.email)])
  }

  func say(_ text: String, in room: Room) async throws -> JSON { try await post(room.chats, ["content": .text(text)]) }

  /// The chats of a room, oldest first. Joins a channel.
  /// - Parameter query: With its question mark.
  func history(of room: Room, _ query: String = "") async throws -> [JSON] {
    let json = try await get(try room.historyPath(for: self) + query)
    if case .list(let list) = json { return list }
    return try json.list("chats")
  }

  func unread(in room: Room, _ query: String) async throws -> Int {
    try await get(room.unreads + query).integer("count")
  }

  /// Hands a workspace or a channel over.
  func handOver(_ path: String, to other: JSON) async throws -> Answer {
    if trial.isOctober { return try await call(.PUT, "\(path)/transfer/ownership", .json(["owner_id": other])) }
    return try await call(.PUT, "\(path)/change/admin/\((try (["user_id": other] as JSON).id("user_id")))")
  }
}
