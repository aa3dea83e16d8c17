import Foundation
import MadangAPI
import MadangCore

/// Turns a seed as it was written into what there is at a moment.
struct SeedReader {
  static let fields = ["name", "description", "now", "people", "workspaces"]

  /// The most of anything that a `count` makes.
  private static let maxCount = 1_000_000
  private static let defaultPassword = "Passw0rd!"
  private static let placeholder = "{n}"

  /// The world's time.
  let start: Int64
  private var planting = Planting()
  /// Places of people, by e-mail and by what is before its `@`; nil for a name of several.
  private var places: [String: Int?] = [:]
  private var chats = 0

  init(start: Int64) { self.start = start }

  mutating func read(_ root: SeedNode) throws(SeedError) -> Planting {
    let seed = try SeedFields(root, "a seed", Self.fields)
    for person in try seed.list("people") { try read(person: person) }
    for workspace in try seed.list("workspaces") { planting.workspaces.append(try read(workspace: workspace)) }
    return planting
  }

  // MARK: People

  private mutating func read(person node: SeedNode) throws(SeedError) {
    let person = try SeedFields(
      node, "a person",
      ["count", "email", "password", "nickname", "phone", "picture", "coins", "joined", "devices"])
    let count = try person.number("count", in: 1...Self.maxCount)
    guard let email = try person.text("email") else {
      throw SeedError(person.line, "email: a person has one; with count it holds \(Self.placeholder)")
    }
    guard count == nil || email.contains(Self.placeholder) else {
      throw SeedError(person.line("email"), "email: with count it must hold \(Self.placeholder), the person's number")
    }
    let password = try person.text("password", as: .password) ?? Self.defaultPassword
    let nickname = try person.text("nickname")
    let phone = try person.text("phone", as: .phone) ?? ""
    let picture = try blob(person, "picture")
    let coins = try person.number("coins", in: 0...1_000_000_000)
    let joined = try person.moment("joined", from: start) ?? start - 30 * 86_400_000
    let devices = try read(devices: person)
    for number in 1...(count ?? 1) {
      let email = email.replacing(Self.placeholder, with: "\(number)")
      let local = String(email.prefix { $0 != "@" })
      let nickname = nickname?.replacing(Self.placeholder, with: "\(number)") ?? local.capitalized
      try check(email, as: .email, at: person.line("email"))
      try check(nickname, as: .nickname, at: person.line("nickname"))
      var made = Planting.Person(email: email, password: password, nickname: nickname, createdAt: joined)
      (made.phone, made.picture, made.coins, made.devices) = (phone, picture, coins, devices)
      let place = planting.people.count
      guard places.updateValue(place, forKey: email.lowercased()) == nil else {
        throw SeedError(person.line("email"), "email: somebody before has \(email)")
      }
      places[local.lowercased()] = places[local.lowercased()] == nil ? .some(place) : .some(nil)
      planting.people.append(made)
    }
  }

  private func read(devices person: SeedFields) throws(SeedError) -> [Planting.Device] {
    var devices: [Planting.Device] = []
    for node in try person.list("devices") {
      let device = try SeedFields(node, "a device", ["token", "edition"])
      guard let token = try device.text("token", as: .deviceToken) else {
        throw SeedError(device.line, "token: a device has one")
      }
      let edition = try device.text("edition") ?? EditionName.october2024.rawValue
      guard EditionName(rawValue: edition) != nil else {
        throw SeedError(
          device.line("edition"), "edition: \(EditionName.allCases.map(\.rawValue).joined(separator: " or "))")
      }
      devices.append(Planting.Device(token: token, edition: edition))
    }
    return devices
  }

  /// The place of a person who is named by e-mail, or by what is before its `@`.
  private func person(_ node: SeedNode, _ field: String) throws(SeedError) -> Int {
    let name = try node.text(field)
    switch places[name.lowercased()] {
    case .some(.some(let place)): return place
    case .some(.none):
      throw SeedError(node.line, "\(field): several people are called '\(name)'; write the whole e-mail")
    case .none:
      throw SeedError(node.line, "\(field): '\(name)' is nobody of this seed; name an e-mail, or what is before its @")
    }
  }

  private func members(
    _ fields: SeedFields, besides owner: Int, of everybody: [Int], since: Int64
  ) throws(SeedError) -> [Planting.Member] {
    guard let node = fields.node("members") else { return [] }
    if case .text("everybody") = node.value {
      return everybody.filter { $0 != owner }.map { Planting.Member(person: $0, joinedAt: since) }
    }
    var (members, seen) = ([Planting.Member](), Set([owner]))
    for node in try fields.list("members") {
      var member: Planting.Member
      if case .fields = node.value {
        let fields = try SeedFields(node, "a member", ["who", "joined", "left"])
        guard let who = fields.node("who") else { throw SeedError(fields.line, "who: the member") }
        member = Planting.Member(
          person: try person(who, "who"), joinedAt: try fields.moment("joined", from: start) ?? since)
        member.hasLeft = try fields.flag("left")
      } else {
        member = Planting.Member(person: try person(node, "members"), joinedAt: since)
      }
      guard everybody.contains(member.person) else {
        throw SeedError(node.line, "members: this person is no member of the workspace; add them to its members")
      }
      if seen.insert(member.person).inserted { members.append(member) }
    }
    return members
  }

  // MARK: Places

  private mutating func read(workspace node: SeedNode) throws(SeedError) -> Planting.Workspace {
    let fields = try SeedFields(
      node, "a workspace",
      ["name", "description", "cover", "owner", "created", "members", "chats", "channels", "directMessages"])
    guard let name = try fields.text("name", as: .name) else {
      throw SeedError(fields.line, "name: a workspace has one")
    }
    guard let owner = fields.node("owner") else { throw SeedError(fields.line, "owner: a workspace has one") }
    let created = try fields.moment("created", from: start) ?? start - 30 * 86_400_000
    var workspace = Planting.Workspace(name: name, owner: try person(owner, "owner"), createdAt: created)
    workspace.description = try fields.text("description", as: .description) ?? ""
    workspace.cover = try blob(fields, "cover")
    workspace.members = try members(
      fields, besides: workspace.owner, of: Array(planting.people.indices), since: created)
    let everybody = [workspace.owner] + workspace.members.map(\.person)
    workspace.defaultChats = try chats(fields, by: everybody, since: created)
    for channel in try fields.list("channels") {
      workspace.channels += try read(channels: channel, workspace, everybody)
    }
    for pair in try fields.list("directMessages") {
      workspace.directMessages.append(try read(pair: pair, workspace, everybody))
    }
    return workspace
  }

  private mutating func read(
    channels node: SeedNode, _ workspace: Planting.Workspace, _ everybody: [Int]
  ) throws(SeedError) -> [Planting.Channel] {
    let fields = try SeedFields(
      node, "a channel",
      ["count", "name", "description", "cover", "owner", "created", "members", "chats", "deleted"])
    let count = try fields.number("count", in: 1...Self.maxCount)
    guard let name = try fields.text("name") else { throw SeedError(fields.line, "name: a channel has one") }
    guard count == nil || name.contains(Self.placeholder) else {
      throw SeedError(fields.line("name"), "name: with count it must hold \(Self.placeholder), the channel's number")
    }
    let created = try fields.moment("created", from: start) ?? workspace.createdAt
    var owner = workspace.owner
    if let node = fields.node("owner") { owner = try person(node, "owner") }
    guard everybody.contains(owner) else {
      throw SeedError(fields.line("owner"), "owner: this person is no member of the workspace")
    }
    var channel = Planting.Channel(name: "", owner: owner, createdAt: created)
    channel.description = try fields.text("description", as: .description) ?? ""
    channel.cover = try blob(fields, "cover")
    channel.members = try members(fields, besides: owner, of: everybody, since: created)
    channel.isDeleted = try fields.flag("deleted")
    var channels: [Planting.Channel] = []
    for number in 1...(count ?? 1) {
      channel.name = name.replacing(Self.placeholder, with: "\(number)")
      try check(channel.name, as: .channelName, at: fields.line("name"))
      channel.chats = try chats(fields, by: [owner] + channel.members.map(\.person), since: created)
      channels.append(channel)
    }
    return channels
  }

  private mutating func read(
    pair node: SeedNode, _ workspace: Planting.Workspace, _ everybody: [Int]
  ) throws(SeedError) -> Planting.DirectMessage {
    let fields = try SeedFields(node, "a room of direct messages", ["between", "created", "chats"])
    let names = try fields.list("between")
    guard names.count == 2 else { throw SeedError(fields.line("between"), "between: the two people") }
    let people = (try person(names[0], "between"), try person(names[1], "between"))
    guard people.0 != people.1, everybody.contains(people.0), everybody.contains(people.1) else {
      throw SeedError(fields.line("between"), "between: two different members of the workspace")
    }
    let created = try fields.moment("created", from: start) ?? workspace.createdAt
    var pair = Planting.DirectMessage(people: people, createdAt: created)
    pair.chats = try chats(fields, by: [people.0, people.1], since: created)
    return pair
  }

  // MARK: Chats

  private mutating func chats(
    _ room: SeedFields, by people: [Int], since: Int64
  ) throws(SeedError) -> [Planting.Chat] {
    var (made, last) = ([Planting.Chat](), since)
    for node in try room.list("chats") {
      let fields = try SeedFields(node, "a chat", ["count", "from", "text", "files", "at", "every", "until"])
      let authors = try authors(fields, among: people)
      if let count = try fields.number("count", in: 1...Self.maxCount) {
        let every = try fields.span("every") ?? 60_000
        let end = try fields.moment("until", from: start) ?? start - 60_000
        guard let text = try fields.text("text", as: .content) else {
          throw SeedError(fields.line, "text: chats have one; \(Self.placeholder) in it is the chat's number")
        }
        for number in 1...count {
          let moment = end - every * Int64(count - number)
          made.append(
            try chat(
              authors[(number - 1) % authors.count], text.replacing(Self.placeholder, with: "\(number)"), moment, &last,
              fields))
        }
      } else {
        let moment = try fields.moment("at", from: start) ?? last + 60_000
        var chat = try chat(authors[0], try fields.text("text", as: .content) ?? "", moment, &last, fields)
        for file in try fields.list("files") { chat.files.append(try SeedFile.blob(file)) }
        guard !chat.content.isEmpty || !chat.files.isEmpty else {
          throw SeedError(fields.line, "a chat has text or files")
        }
        made.append(chat)
      }
    }
    return made
  }

  private mutating func chat(
    _ author: Int, _ text: String, _ moment: Int64, _ last: inout Int64, _ fields: SeedFields
  ) throws(SeedError) -> Planting.Chat {
    chats += 1
    guard chats <= Self.maxCount else { throw SeedError(fields.line, "a seed has at most \(Self.maxCount) chats") }
    guard moment > last else {
      throw SeedError(
        fields.line,
        "a chat is later than the one before it, and than its room: this one is of \(WireDate.string(moment)), after "
          + WireDate.string(last))
    }
    last = moment
    return Planting.Chat(author: author, content: text, createdAt: moment)
  }

  /// Who writes, in turn.
  private func authors(_ fields: SeedFields, among people: [Int]) throws(SeedError) -> [Int] {
    guard let node = fields.node("from") else { return people }
    var authors: [Int] = []
    if case .list(let nodes) = node.value {
      for node in nodes { authors.append(try person(node, "from")) }
    } else {
      authors = [try person(node, "from")]
    }
    guard !authors.isEmpty, authors.allSatisfy(people.contains) else {
      throw SeedError(node.line, "from: members of the room; add them to its members")
    }
    return authors
  }

  private func check(_ text: String, as kind: Planting.Text, at line: Int) throws(SeedError) {
    if let problem = Planting.problem(with: text, as: kind) { throw SeedError(line, problem) }
  }

  private func blob(_ fields: SeedFields, _ name: String) throws(SeedError) -> Planting.Blob? {
    guard let node = fields.node(name) else { return nil }
    return try SeedFile.blob(node)
  }
}
