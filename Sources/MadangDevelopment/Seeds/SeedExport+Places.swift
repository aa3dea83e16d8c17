import MadangCore

// Workspaces, channels and direct messages, with their members and chats.

extension SeedExport {
  mutating func write(
    _ entry: Inventory.WorkspaceEntry, _ sink: ([UInt8]) async throws -> Void
  ) async throws {
    let workspace = entry.workspace
    out.field("name", .text(workspace.name))
    if !workspace.description.isEmpty { out.field("description", .text(workspace.description)) }
    out.field("owner", name(workspace.owner.number))
    let main = entry.channels.first { $0.channel.isDefault }
    let created = Self.beginning(workspace.createdAt, main?.extent.firstChatAt)
    out.field("created", distance(created))
    if let cover = workspace.cover { out.field("cover", try await file(cover)) }
    let former = entry.former
    let isEverybody = former.isEmpty && entry.members.count == inventory.people.count
    writeMembers(
      entry.members, former: former, owner: workspace.owner.number, since: created, canBeEverybody: isEverybody)
    if let main {
      var fields = [("description", SeedValue.text(main.channel.description))]
      if let cover = main.channel.cover { fields.append(("cover", try await file(cover))) }
      if main.channel.description != madang.settings.workspaces.channelDescription || fields.count > 1 {
        out.field("defaultChannel", .fields(fields))
      }
      try await writeChats(main.extent, sink)
    }
    let others = entry.channels.filter { !$0.channel.isDefault }
    if !others.isEmpty || !entry.deletedChannels.isEmpty {
      out.openList("channels")
      for channel in others {
        out.openItem()
        try await write(channel, in: entry, since: created, sink)
        out.closeItem()
      }
      var number = 0
      for channel in entry.deletedChannels {
        repeat { number += 1 } while entry.channels.contains { $0.channel.name == "deleted \(number)" }
        let owner = entry.has(channel.owner.number) ? channel.owner : workspace.owner
        out.item(
          .fields([
            ("name", .text("deleted \(number)")), ("owner", name(owner.number)),
            ("created", distance(channel.createdAt)),
            ("deleted", .plain("true")),
          ]))
      }
      out.closeList()
    }
    guard !entry.pairs.isEmpty else { return }
    out.openList("directMessages")
    for pair in entry.pairs {
      out.openItem()
      out.field("between", .list([name(pair.people.0), name(pair.people.1)]))
      out.field("created", distance(Self.beginning(pair.extent.createdAt, pair.extent.firstChatAt)))
      try await writeChats(pair.extent, sink)
      out.closeItem()
    }
    out.closeList()
  }

  private mutating func write(
    _ entry: Inventory.ChannelEntry, in workspace: Inventory.WorkspaceEntry, since: Int64,
    _ sink: ([UInt8]) async throws -> Void
  ) async throws {
    let channel = entry.channel
    out.field("name", .text(channel.name))
    if !channel.description.isEmpty { out.field("description", .text(channel.description)) }
    out.field("owner", name(channel.owner.number))
    let created = Self.beginning(channel.createdAt, entry.extent.firstChatAt)
    if created != since { out.field("created", distance(created)) }
    if let cover = channel.cover { out.field("cover", try await file(cover)) }
    let members = Set(entry.members.map(\.person))
    let former = entry.extent.authors.filter { !members.contains($0) }
    // People who left the workspace also left its channels.
    let isEverybody = !former.contains(where: workspace.has) && members.count == workspace.members.count
    writeMembers(
      entry.members, former: former, owner: channel.owner.number, since: created, canBeEverybody: isEverybody)
    try await writeChats(entry.extent, sink)
  }

  /// The start of a place: a clock that was set back may have dated chats before it.
  private static func beginning(_ created: Int64, _ firstChat: Int64?) -> Int64 {
    min(created, firstChat ?? .max)
  }

  /// - Parameters:
  ///   - former: Authors who are no longer members.
  ///   - canBeEverybody: Whether `everybody` means the same people.
  private mutating func writeMembers(
    _ members: [Inventory.Member], former: [Int64], owner: Int64, since: Int64, canBeEverybody: Bool
  ) {
    if canBeEverybody, members.count > 2, members.allSatisfy({ $0.joinedAt == since }) {
      out.field("members", .text("everybody"))
      return
    }
    var list: [SeedValue] = []
    for member in members {
      if member.joinedAt != since {
        list.append(.fields([("who", name(member.person)), ("joined", distance(member.joinedAt))]))
      } else if member.person != owner {
        list.append(name(member.person))
      }
    }
    list += former.map { .fields([("who", name($0)), ("left", .plain("true"))]) }
    if !list.isEmpty { out.field("members", .list(list)) }
  }

  // MARK: Chats

  private mutating func writeChats(
    _ extent: Inventory.Extent, _ sink: ([UInt8]) async throws -> Void
  ) async throws {
    guard extent.lastSeq > 0 else { return }
    out.openList("chats")
    var seq: Int64 = 0
    while seq < extent.lastSeq {
      let end = min(extent.lastSeq, seq + Self.page)
      for chat in try await madang.chats(ofRoom: extent.room, afterSeq: seq, through: end) {
        var fields: [(String, SeedValue)] = [
          ("from", name(chat.author.id.number)), ("at", distance(chat.createdAt)), ("text", .text(chat.content)),
        ]
        if !chat.files.isEmpty {
          var files: [SeedValue] = []
          for path in chat.files { files.append(try await file(path)) }
          fields.append(("files", .list(files)))
        }
        out.item(.fields(fields))
        try await flush(sink)
      }
      seq = end
    }
    out.closeList()
  }
}

extension Inventory.WorkspaceEntry {
  /// Authors and partners of direct messages who are no longer members.
  fileprivate var former: [Int64] {
    let present = Set(members.map(\.person))
    let heard = Set(
      channels.flatMap(\.extent.authors) + pairs.flatMap(\.extent.authors)
        + pairs.flatMap { [$0.people.0, $0.people.1] })
    return heard.subtracting(present).sorted()
  }

  fileprivate func has(_ person: Int64) -> Bool { members.contains { $0.person == person } }
}
