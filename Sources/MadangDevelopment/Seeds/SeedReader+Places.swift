import MadangAPI
import MadangCore

// Workspaces, channels, direct messages, and their chats.

extension SeedReader {
  mutating func read(workspace node: YAMLNode) throws(SeedError) -> Planting.Workspace {
    let fields = try YAMLFields(
      node, "a workspace",
      [
        "name", "description", "cover", "owner", "created", "members", "defaultChannel", "chats", "channels",
        "directMessages",
      ])
    guard let name = try fields.text("name", as: .name) else {
      throw SeedError(fields.line, "name: is missing; each workspace needs one")
    }
    guard let owner = fields.node("owner") else {
      throw SeedError(fields.line, "owner: is missing; each workspace needs one")
    }
    let created = try fields.moment("created", from: start) ?? start - 30 * 86_400_000
    var workspace = Planting.Workspace(name: name, owner: try person(owner, "owner"), createdAt: created)
    workspace.description = try fields.text("description", as: .description) ?? ""
    workspace.cover = try blob(fields, "cover")
    workspace.members = try members(fields, besides: workspace.owner, of: everybody, since: created)
    try count(workspace.members.count + 2, at: fields.line)
    let circle = SeedCircle([workspace.owner] + workspace.members.map(\.person).filter { $0 != workspace.owner })
    if let node = fields.node("defaultChannel") {
      let main = try YAMLFields(node, "the default channel", ["description", "cover"])
      workspace.defaultDescription = try main.text("description", as: .description)
      workspace.defaultCover = try blob(main, "cover")
    }
    try count(bytes: workspace.size, at: fields.line)
    workspace.defaultChats = try chats(fields, by: circle, since: created)
    for channel in try fields.list("channels") {
      workspace.channels += try read(channels: channel, workspace, circle)
    }
    for pair in try fields.list("directMessages") {
      workspace.directMessages.append(try read(pair: pair, workspace, circle))
    }
    return workspace
  }

  private mutating func read(
    channels node: YAMLNode, _ workspace: Planting.Workspace, _ circle: SeedCircle
  ) throws(SeedError) -> [Planting.Channel] {
    let fields = try YAMLFields(
      node, "a channel",
      ["count", "name", "description", "cover", "owner", "created", "members", "chats", "deleted"])
    let count = try fields.number("count", in: 1...Self.maxCount)
    guard let name = try fields.text("name") else {
      throw SeedError(fields.line, "name: is missing; each channel needs one")
    }
    guard count == nil || name.contains(Self.placeholder) else {
      throw SeedError(
        fields.line("name"), "name: with count it must contain \(Self.placeholder), which becomes the channel's number")
    }
    let created = try fields.moment("created", from: start) ?? workspace.createdAt
    var owner = workspace.owner
    if let node = fields.node("owner") { owner = try person(node, "owner") }
    guard circle.contains(owner) else {
      throw SeedError(fields.line("owner"), "owner: this person is not a member of the workspace")
    }
    var channel = Planting.Channel(name: "", owner: owner, createdAt: created)
    channel.description = try fields.text("description", as: .description) ?? ""
    channel.cover = try blob(fields, "cover")
    channel.members = try members(fields, besides: owner, of: circle, since: created)
    let writers = SeedCircle([owner] + channel.members.map(\.person).filter { $0 != owner })
    channel.isDeleted = try fields.flag("deleted")
    var channels: [Planting.Channel] = []
    let names = SeedTemplate(name, count)
    for number in 1...(count ?? 1) {
      try self.count(channel.members.count + 2, at: fields.line)
      channel.name = names.text(number)
      try self.count(bytes: channel.size, at: fields.line)
      try check(channel.name, as: .channelName, at: fields.line("name"))
      channel.chats = try chats(fields, by: writers, since: created)
      channels.append(channel)
    }
    return channels
  }

  private mutating func read(
    pair node: YAMLNode, _ workspace: Planting.Workspace, _ circle: SeedCircle
  ) throws(SeedError) -> Planting.DirectMessage {
    let fields = try YAMLFields(node, "a room of direct messages", ["between", "created", "chats"])
    let names = try fields.list("between")
    guard names.count == 2 else { throw SeedError(fields.line("between"), "between: the two people") }
    let people = (try person(names[0], "between"), try person(names[1], "between"))
    guard people.0 != people.1, circle.contains(people.0), circle.contains(people.1) else {
      throw SeedError(fields.line("between"), "between: two different members of the workspace")
    }
    let created = try fields.moment("created", from: start) ?? workspace.createdAt
    var pair = Planting.DirectMessage(people: people, createdAt: created)
    pair.chats = try chats(fields, by: SeedCircle([people.0, people.1]), since: created)
    return pair
  }

  // MARK: Chats

  private mutating func chats(
    _ room: YAMLFields, by circle: SeedCircle, since: Int64
  ) throws(SeedError) -> [Planting.Chat] {
    var made: [Planting.Chat] = []
    // The first chat may be as old as its room.
    var last = since - 1
    for node in try room.list("chats") {
      let fields = try YAMLFields(node, "a chat", ["count", "from", "text", "files", "at", "every", "until"])
      let authors = try authors(fields, among: circle)
      if let count = try fields.number("count", in: 1...Self.maxCount) {
        let every = try fields.span("every") ?? 60_000
        let end = try fields.moment("until", from: start) ?? start - 60_000
        guard let text = try fields.text("text", as: .content) else {
          throw SeedError(
            fields.line, "text: with count each chat needs one; \(Self.placeholder) in it becomes the chat's number")
        }
        let (span, overflows) = every.multipliedReportingOverflow(by: Int64(count - 1))
        guard !overflows, !end.subtractingReportingOverflow(span).overflow else {
          throw SeedError(fields.line("every"), "every: with this distance the first chats would be before all dates")
        }
        let texts = SeedTemplate(text, count)
        for number in 1...count {
          let moment = end - every * Int64(count - number)
          made.append(
            try chat(
              authors[(number - 1) % authors.count], texts.text(number), moment, &last, fields))
        }
      } else {
        let moment = try fields.moment("at", from: start) ?? (made.isEmpty ? since : last) + 60_000
        var chat = try chat(authors[0], try fields.text("text", as: .content) ?? "", moment, &last, fields)
        for file in try fields.list("files") {
          try self.count(1, at: file.line)
          let blob = try SeedFile.blob(file)
          try self.count(bytes: blob.bytes.count, at: file.line)
          chat.files.append(blob)
        }
        guard !chat.content.isEmpty || !chat.files.isEmpty else {
          throw SeedError(fields.line, "a chat needs text or files")
        }
        made.append(chat)
      }
    }
    return made
  }

  private mutating func chat(
    _ author: Int, _ text: String, _ moment: Int64, _ last: inout Int64, _ fields: YAMLFields
  ) throws(SeedError) -> Planting.Chat {
    try count(1, at: fields.line)
    try count(bytes: text.utf8.count, at: fields.line)
    chats += 1
    guard chats <= Self.maxCount else { throw SeedError(fields.line, "a seed has at most \(Self.maxCount) chats") }
    guard moment > last else {
      throw SeedError(
        fields.line,
        "a chat must be later than the one before it and than its room: this one is of \(WireDate.string(moment)), after "
          + WireDate.string(last))
    }
    last = moment
    return Planting.Chat(author: author, content: text, createdAt: moment)
  }

  /// The authors, in turn.
  private func authors(_ fields: YAMLFields, among circle: SeedCircle) throws(SeedError) -> [Int] {
    guard let node = fields.node("from") else { return circle.people }
    var authors: [Int] = []
    if case .list(let nodes) = node.value {
      for node in nodes { authors.append(try person(node, "from")) }
    } else {
      authors = [try person(node, "from")]
    }
    guard !authors.isEmpty, authors.allSatisfy(circle.contains) else {
      throw SeedError(node.line, "from: is not a member of the room; add this person to its members")
    }
    return authors
  }
}

extension Planting.Workspace {
  /// Bytes of its own texts and files.
  fileprivate var size: Int {
    let texts = [name, description, defaultDescription ?? ""]
    return texts.reduce((cover?.bytes.count ?? 0) + (defaultCover?.bytes.count ?? 0)) { $0 + $1.utf8.count }
  }
}

extension Planting.Channel {
  /// Bytes of its own texts and files.
  fileprivate var size: Int { name.utf8.count + description.utf8.count + (cover?.bytes.count ?? 0) }
}
