import MadangAPI
import MadangClient

/// A room, and the name by which it was requested.
struct NamedRoom {
  let name: String
  let room: RoomAddress
}

extension Person {
  /// The workspace with this name or id; without one, the workspace in use, or else the newest.
  func workspace(_ wanted: String?) async throws -> Edition2024_10.Workspace {
    let all = try await client.workspaces()
    if let wanted {
      guard let found = all.first(where: { $0.workspaceID == wanted || $0.name == wanted }) else {
        throw Failure("you are not in a workspace '\(wanted)'")
      }
      return found
    }
    guard let found = all.first(where: { $0.workspaceID == workspaceInUse }) ?? all.first else {
      throw Failure("you are not in a workspace: create one with 'madang workspace create NAME', or be invited")
    }
    return found
  }

  /// The room `#channel`, or the direct messages with `@` and a nickname or address, in a workspace.
  func room(_ name: String, in workspace: Edition2024_10.Workspace) async throws -> NamedRoom {
    guard name.hasPrefix("@") else {
      let channel = try await channel(name, in: workspace)
      return NamedRoom(
        name: "#" + channel.name, room: .channel(id: channel.channelID, workspace: workspace.workspaceID))
    }
    let dm = try await directMessage(name, in: workspace)
    return NamedRoom(
      name: "@" + dm.user.nickname, room: .directMessage(id: dm.roomID, workspace: workspace.workspaceID))
  }

  /// Whether the person is in the room; direct messages need no joining.
  func hasJoined(_ room: RoomAddress) async throws -> Bool {
    guard case .channel(let id, let workspace) = room else { return true }
    return try await client.myChannels(in: workspace).contains { $0.channelID == id }
  }

  /// Joins a channel, as reading it would, without reading chats.
  func join(_ room: RoomAddress) async throws {
    _ = try await client.history(of: room, after: "9999-12-31T23:59:59.999Z")
  }

  /// The channel with this name, with or without `#`.
  func channel(_ name: String, in workspace: Edition2024_10.Workspace) async throws -> Edition2024_10.Channel {
    let bare = name.hasPrefix("#") ? String(name.dropFirst()) : name
    let channels = try await client.channels(in: workspace.workspaceID)
    guard let found = channels.first(where: { $0.name == bare }) else {
      throw Failure("there is no channel #\(bare) in \(workspace.name)")
    }
    return found
  }

  /// The direct messages with a member, given by nickname or address, with or without `@`.
  func directMessage(_ name: String, in workspace: Edition2024_10.Workspace) async throws -> Edition2024_10.DMRoom {
    let other = try await member(name, of: workspace)
    return try await client.openDirectMessage(with: other.userID, in: workspace.workspaceID)
  }

  /// The member with this nickname or address, with or without `@`.
  func member(_ name: String, of workspace: Edition2024_10.Workspace) async throws -> Edition2024_10.Member {
    let bare = name.hasPrefix("@") ? String(name.dropFirst()) : name
    let members = try await client.members(ofWorkspace: workspace.workspaceID)
    let found =
      bare.contains("@")
      ? members.filter { $0.email.lowercased() == bare.lowercased() } : members.filter { $0.nickname == bare }
    guard let first = found.first else { throw Failure("there is no member @\(bare) in \(workspace.name)") }
    guard found.count == 1 else {
      let addresses = found.map { "@" + $0.email }.joined(separator: ", ")
      throw Failure("@\(bare) may be any of \(addresses)")
    }
    return first
  }
}
