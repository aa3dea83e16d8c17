import MadangAPI
import MadangCore

/// Writes what an archive shows as a seed in YAML, without scripts.
struct RecordedSeed {
  private typealias Place = RecordedWorld.Place
  private typealias Chats = [String: RecordedWorld.Chat]

  private static let grey = SeedValue.fields([("color", .text(SeedExport.substitute))])

  private let world: RecordedWorld
  /// People before the session, and owners that no answer shows.
  private let residents: [RecordedWorld.Person]
  private let names: [String: String]
  private var out: SeedText

  /// The text of the seed.
  /// - Parameter recording: The script that plays in it.
  static func text(of world: RecordedWorld, for recording: Recording) -> String {
    var seed = RecordedSeed(world, recording)
    seed.write(recording.name)
    return String(decoding: seed.out.take(), as: UTF8.self)
  }

  private init(_ world: RecordedWorld, _ recording: Recording) {
    (self.world, residents) = (world, world.residents)
    names = ShortNames.of(Set(recording.shortNames.keys).union(residents.map(\.email)))
    out = SeedText(
      .yaml,
      head: [
        "Read from an HTTP archive: what its answers show. Passwords are not in it: all people have \(SeedReader.defaultPassword)",
        "Files are grey pictures. People without an e-mail have one that ends with example.invalid.",
      ])
  }

  private func name(_ email: String) -> SeedValue { .text(names[email] ?? email) }

  private func distance(_ moment: Int64) -> SeedValue {
    .word(LengthOfTime.text(ofMilliseconds: min(0, moment - world.options.since)))
  }

  private mutating func write(_ title: String) {
    out.field("name", .text(title))
    out.field("now", .text(WireDate.string(max(0, world.options.since))))
    if !residents.isEmpty {
      out.openList("people")
      for person in residents { out.item(value(of: person)) }
      out.closeList()
    }
    var used: Set<String> = []
    let workspaces = world.oldWorkspaces.filter { used.insert($0.place.name).inserted }
    writeList("workspaces", of: workspaces) { seed, workspace in seed.write(workspace.place, workspace.id) }
  }

  private func value(of person: RecordedWorld.Person) -> SeedValue {
    var fields = [("email", SeedValue.text(person.email))]
    if let nickname = person.nickname, !nickname.isEmpty { fields.append(("nickname", .text(nickname))) }
    if !person.phone.isEmpty { fields.append(("phone", .text(person.phone))) }
    if person.hasPicture { fields.append(("picture", Self.grey)) }
    if let coins = person.coins { fields.append(("coins", .plain("\(max(0, min(coins, 1_000_000_000)))"))) }
    return .fields(fields)
  }

  // MARK: Places

  private mutating func write(_ workspace: Place, _ id: String) {
    let owner = workspace.owner.map(world.email) ?? workspace.members.first ?? residents.first?.email ?? ""
    let channels = world.oldChannels(in: id)
    let pairs = world.oldPairs(in: id)
    var members = Set(workspace.members)
    for channel in channels { members.formUnion(channel.members + [channel.owner.map(world.email)].compactMap(\.self)) }
    for pair in pairs { members.formUnion(pair.people) }
    members = members.filter { world.isResident($0) && !world.made.contains(.invitation($0, to: id)) }
    let oldest =
      channels.flatMap { $0.chats.values.map(\.createdAt) + [$0.createdAt].compactMap(\.self) }
      + pairs.flatMap { $0.chats.values.map(\.createdAt) + [$0.createdAt].compactMap(\.self) }
    let now = world.options.since
    let created = min(workspace.createdAt ?? now, oldest.min() ?? .max, now)
    writeHead(of: workspace, owner: owner, created: created)
    write(members: members, besides: owner)
    let defaultChannel = world.options.defaultChannel
    if let main = channels.first(where: { $0.name == defaultChannel }) {
      if !main.description.isEmpty { out.field("defaultChannel", .fields([("description", .text(main.description))])) }
      write(main.chats, among: members.union([owner]), since: created)
    }
    writeList("channels", of: channels.filter { $0.name != defaultChannel }) { seed, channel in
      seed.write(channel, among: members, owner, since: created)
    }
    writeList("directMessages", of: pairs) { seed, pair in
      seed.out.field("between", .list(pair.people.map(seed.name)))
      let start = pair.start(created)
      seed.out.field("created", seed.distance(start))
      seed.write(pair.chats, among: Set(pair.people), since: start)
    }
  }

  private mutating func writeList<Item>(
    _ name: String, of items: [Item], _ write: (inout RecordedSeed, Item) -> Void
  ) {
    guard !items.isEmpty else { return }
    out.openList(name)
    for item in items {
      out.openItem()
      write(&self, item)
      out.closeItem()
    }
    out.closeList()
  }

  /// - Parameters:
  ///   - members: Of the workspace.
  ///   - owner: Of the workspace.
  private mutating func write(_ channel: Place, among members: Set<String>, _ owner: String, since: Int64) {
    let channelOwner = channel.owner.map(world.email) ?? owner
    let start = channel.start(since)
    writeHead(of: channel, owner: members.contains(channelOwner) ? channelOwner : owner, created: start)
    let inside = Set(channel.members).filter { members.contains($0) || $0 == owner }
    write(members: inside, besides: channelOwner)
    write(channel.chats, among: inside.union([channelOwner]), since: start)
  }

  private mutating func writeHead(of place: Place, owner: String, created: Int64) {
    out.field("name", .text(place.name))
    if !place.description.isEmpty { out.field("description", .text(place.description)) }
    out.field("owner", name(owner))
    out.field("created", distance(created))
    if place.hasCover { out.field("cover", Self.grey) }
  }

  private mutating func write(members: Set<String>, besides owner: String) {
    let list = members.filter { $0 != owner }.sorted()
    if !list.isEmpty { out.field("members", .list(list.map(name))) }
  }

  private mutating func write(_ chats: Chats, among authors: Set<String>, since: Int64) {
    let old = chats.sorted { ($0.value.createdAt, $0.key) < ($1.value.createdAt, $1.key) }.map(\.value)
      .filter { authors.contains($0.author) && (!$0.text.isEmpty || $0.files > 0) }
    guard !old.isEmpty else { return }
    out.openList("chats")
    // No two chats of a room have the same time.
    var last = min(since, world.options.since) - 1
    for chat in old {
      last = max(last + 1, chat.createdAt)
      var fields = [
        ("from", name(chat.author)),
        ("at", SeedValue.word(LengthOfTime.text(ofMilliseconds: last - world.options.since))),
        ("text", .text(chat.text)),
      ]
      if chat.files > 0 { fields.append(("files", .list(Array(repeating: Self.grey, count: min(chat.files, 100))))) }
      out.item(.fields(fields))
    }
    out.closeList()
  }
}

// MARK: - Before the session

extension RecordedWorld {
  fileprivate var residents: [Person] {
    var residents = order.compactMap { key in
      if case .person(let email) = key, !made.contains(key) { people[email] } else { nil }
    }
    var known = Set(residents.map(\.email))
    for place in Array(workspaces.values) + Array(channels.values) {
      if let owner = place.owner, emails[owner] == nil, known.insert(email(owner)).inserted {
        residents.append(Person(email: email(owner), nickname: "Unknown"))
      }
    }
    return residents
  }

  /// The e-mail of an id; a made-up one if no answer shows it.
  fileprivate func email(_ id: String) -> String {
    emails[id] ?? "unknown-\(id.prefix(8).lowercased())@example.invalid"
  }

  fileprivate func isResident(_ email: String) -> Bool {
    !made.contains(.person(email)) && (people[email] != nil || email.hasSuffix("@example.invalid"))
  }

  fileprivate var oldWorkspaces: [(id: String, place: Place)] {
    order.compactMap { key in
      guard case .workspace(let id) = key, !made.contains(key), let place = workspaces[id] else { return nil }
      return (id, place)
    }
  }

  fileprivate func oldChannels(in workspace: String) -> [Place] {
    order.compactMap { key in
      guard case .channel(let id) = key, !made.contains(key), let channel = channels[id] else { return nil }
      return channel.workspace == workspace ? channel : nil
    }
  }

  /// Pairs of people, each once.
  fileprivate func oldPairs(in workspace: String) -> [Pair] {
    var seen: Set<Set<String>> = []
    return pairs.sorted { $0.key < $1.key }.map(\.value).filter { pair in
      pair.workspace == workspace && pair.people.count == 2 && pair.people.allSatisfy(isResident)
        && (pair.createdAt ?? .min < options.since || !pair.chats.isEmpty) && seen.insert(Set(pair.people)).inserted
    }
  }
}

extension RecordedWorld.Place {
  /// Its beginning, before its chats; that of its workspace if none is known.
  fileprivate func start(_ workspace: Int64) -> Int64 {
    min(createdAt ?? workspace, chats.values.map(\.createdAt).min() ?? .max)
  }
}

extension RecordedWorld.Pair {
  /// As of a ``RecordedWorld/Place``.
  fileprivate func start(_ workspace: Int64) -> Int64 {
    min(createdAt ?? workspace, chats.values.map(\.createdAt).min() ?? .max)
  }
}
