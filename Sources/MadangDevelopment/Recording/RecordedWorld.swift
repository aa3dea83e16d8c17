import MadangAPI
import MadangCore

/// The people, places and chats that the answers of a session show, as they were before it.
struct RecordedWorld {
  struct Person {
    let email: String
    var nickname: String?
    var phone = ""
    var coins: Int?
    var hasPicture = false
  }

  struct Place {
    var name: String
    var description = ""
    var owner: String?
    /// Of a channel: its workspace's id.
    var workspace: String
    var createdAt: Int64?
    var hasCover = false
    /// E-mails, in order of appearance.
    var members: [String] = []
    var chats: [String: Chat] = [:]

    mutating func add(_ email: String) { if !members.contains(email) { members.append(email) } }
  }

  struct Chat {
    let author: String
    let text: String
    let files: Int
    let createdAt: Int64
  }

  struct Pair {
    var workspace: String?
    var people: [String] = []
    var createdAt: Int64?
    var chats: [String: Chat] = [:]
  }

  private let options: Recorder.Options
  private(set) var people: [String: Person] = [:]
  private(set) var workspaces: [String: Place] = [:]
  private(set) var channels: [String: Place] = [:]
  private(set) var pairs: [String: Pair] = [:]
  /// The order of people and places.
  private(set) var order: [String] = []
  /// Accounts and places that the session itself made, and memberships that it began.
  private var made: Set<String> = []
  private var emails: [String: String] = [:]
  private var edition = EditionName.october2024

  init(_ options: Recorder.Options) { self.options = options }

  // MARK: Learning

  mutating func learn(_ exchanges: [RecordedExchange], _ sightings: [Recorder.Sighting]) {
    for exchange in exchanges where exchange.hasSucceeded { noteMade(exchange) }
    for exchange in exchanges where exchange.hasSucceeded {
      edition = exchange.edition
      noteJoin(exchange)
      guard let answer = exchange.answer else { continue }
      learn(answer, exchange.workspace, exchange.person)
      learnMembers(exchange, answer)
    }
    for sighting in sightings {
      edition = sighting.edition
      learn(sighting.json, nil, sighting.person)
    }
  }

  private mutating func noteMade(_ exchange: RecordedExchange) {
    switch exchange.operation {
    case "signUp": if let email = exchange.answer?.text("email") { made.insert("p" + email) }
    case "createWorkspace": if let id = exchange.answer?.text("workspace_id") { made.insert("w" + id) }
    case "createChannel": if let id = exchange.answer?.text("channel_id") { made.insert("c" + id) }
    default: break
    }
  }

  private mutating func noteJoin(_ exchange: RecordedExchange) {
    if exchange.operation == "invite", let email = exchange.answer?.text("email"), let id = exchange.workspace,
      !(workspaces[id]?.members.contains(email) ?? false)
    {
      made.insert("m\(id) \(email)")
    }
    if exchange.operation == "leaveChannel", let person = exchange.person, let id = channel(of: exchange) {
      addMember(person, to: id)
    }
    if exchange.operation == "leaveWorkspace", let person = exchange.person, let id = exchange.workspace,
      !made.contains("m\(id) \(person)")
    {
      workspaces[id]?.add(person)
    }
    // Before the answer is looked at, which may show the reader's own chats.
    if exchange.operation == "channelHistory", let person = exchange.person, let id = channel(of: exchange),
      !(channels[id]?.members.contains(person) ?? false), !hasOldChat(of: person, exchange)
    {
      made.insert("j\(id) \(person)")
    }
  }

  private func hasOldChat(of person: String, _ exchange: RecordedExchange) -> Bool {
    var isFound = false
    SeenObject.each(in: exchange.answer ?? .null, workspace: nil) { object in
      guard case .chat(let chat, _) = object, chat.author.text("email") == person else { return }
      if moment(chat.createdAt) ?? .max < options.since { isFound = true }
    }
    return isFound
  }

  /// The id of the channel that a path names; paths of edition 2024-01 have names.
  private func channel(of exchange: RecordedExchange) -> String? {
    guard let given = exchange.match.parameters["channel"], channels[given] == nil || exchange.edition == .january2024
    else { return exchange.match.parameters["channel"] }
    return channels.first { $0.value.workspace == exchange.workspace && $0.value.name == given }?.key ?? given
  }

  private mutating func learn(_ json: JSONValue, _ workspace: String?, _ caller: String?) {
    SeenObject.each(in: json, workspace: workspace) { object in
      switch object {
      case .person(let id, let json): learn(person: id, json)
      case .workspace(let id, let json): learn(workspace: id, json)
      case .channel(let id, let workspace, let name, let json):
        learn(channel: id, workspace ?? channels[id]?.workspace, name, json)
      case .room(let id, let workspace, let other, let createdAt):
        learn(person: nil, other)
        var pair = pairs[id] ?? Pair()
        pair.workspace = workspace ?? pair.workspace
        pair.createdAt = createdAt.flatMap(moment)
        for email in [caller, other.text("email")].compactMap(\.self) where !pair.people.contains(email) {
          pair.people.append(email)
        }
        pairs[id] = pair
      case .chat(let chat, let workspace): learn(chat, workspace, caller)
      }
    }
  }

  private func moment(_ label: String) -> Int64? { TimeText.date(label).map { $0 - options.offset(edition) } }

  private mutating func learn(person id: String?, _ json: JSONValue) {
    guard let email = json.text("email") else { return }
    if let id = id ?? json.text("user_id") { emails[id] = email }
    if people[email] == nil { order.append("p" + email) }
    var person = people[email] ?? Person(email: email)
    person.nickname = person.nickname ?? json.text("nickname")
    if let phone = json.text("phone"), person.phone.isEmpty { person.phone = phone }
    if let coins = json.text("sesacCoin").flatMap({ Int($0) }), person.coins == nil { person.coins = coins }
    person.hasPicture = person.hasPicture || json.text("profileImage") != nil
    people[email] = person
  }

  private mutating func learn(workspace id: String, _ json: JSONValue) {
    guard let name = json.text("name") else { return }
    if workspaces[id] == nil { order.append("w" + id) }
    var place = workspaces[id] ?? Place(name: name, workspace: id)
    place.learn(json, json.text("coverImage") ?? json.text("thumbnail"), json.text("createdAt").flatMap(moment))
    workspaces[id] = place
  }

  private mutating func learn(channel id: String, _ workspace: String?, _ name: String, _ json: JSONValue) {
    guard let workspace else { return }
    if channels[id] == nil { order.append("c" + id) }
    var place = channels[id] ?? Place(name: name, workspace: workspace)
    place.learn(json, json.text("coverImage"), json.text("createdAt").flatMap(moment))
    channels[id] = place
  }

  private mutating func learn(_ chat: SeenChat, _ workspace: String?, _ caller: String?) {
    guard let author = chat.author.text("email"), let createdAt = moment(chat.createdAt) else { return }
    learn(person: nil, chat.author)
    let one = Chat(author: author, text: chat.content, files: chat.files, createdAt: createdAt)
    let isOld = createdAt < options.since
    if chat.isDirect {
      var pair = pairs[chat.room] ?? Pair()
      pair.workspace = workspace ?? pair.workspace
      for email in [caller, author].compactMap(\.self) where !pair.people.contains(email) { pair.people.append(email) }
      if isOld { pair.chats[chat.id] = one }
      pairs[chat.room] = pair
    } else {
      if let name = chat.channelName, channels[chat.room] == nil, let workspace {
        order.append("c" + chat.room)
        channels[chat.room] = Place(name: name, workspace: workspace)
      }
      if isOld { channels[chat.room]?.chats[chat.id] = one }
      // Authors are members.
      if isOld { channels[chat.room]?.add(author) } else { addMember(author, to: chat.room) }
    }
  }

  private mutating func learnMembers(_ exchange: RecordedExchange, _ answer: JSONValue) {
    func people(_ list: JSONValue?) -> [String] {
      guard case .list(let list)? = list else { return [] }
      return list.compactMap { $0.text("email") }
    }
    switch exchange.operation {
    case "workspaces":
      guard let caller = exchange.person, case .list(let list) = answer else { return }
      for id in list.compactMap({ $0.text("workspace_id") }) { workspaces[id]?.add(caller) }
    case "workspace", "workspaceMembers":
      guard let id = exchange.workspace else { return }
      for email in people(answer["workspaceMembers"] ?? answer) { workspaces[id]?.add(email) }
    case "myChannels":
      guard let caller = exchange.person, case .list(let list) = answer else { return }
      for id in list.compactMap({ $0.text("channel_id") }) { addMember(caller, to: id) }
    case "channel", "channelMembers":
      guard let channel = channel(of: exchange) else { return }
      for email in people(answer["channelMembers"] ?? answer) { addMember(email, to: channel) }
    default: break
    }
  }

  /// Adds a member, unless the session itself made it one: by reading the channel's history.
  private mutating func addMember(_ email: String, to channel: String) {
    if !made.contains("j\(channel) \(email)") { channels[channel]?.add(email) }
  }

  func hasMade(_ key: String) -> Bool { made.contains(key) }
  func emailOf(_ id: String) -> String? { emails[id] }
}

extension RecordedWorld.Place {
  fileprivate mutating func learn(_ json: JSONValue, _ cover: String?, _ createdAt: Int64?) {
    if description.isEmpty { description = json.text("description") ?? "" }
    owner = owner ?? json.text("owner_id")
    self.createdAt = self.createdAt ?? createdAt
    hasCover = hasCover || !(cover ?? "/default.").contains("/default.")
  }
}

// MARK: Writing

extension RecordedWorld {
  /// The seed in YAML, without scripts.
  /// - Parameter recording: The script that plays in it.
  func text(_ recording: Recording) -> String {
    let residents = residents
    let names = Recording.shortNames(of: Set(recording.shortNames.keys).union(residents.map(\.email)))
    func name(_ email: String) -> SeedValue { .text(names[email] ?? email) }
    var out = SeedText(
      .yaml,
      head: [
        "Read from an HTTP archive: what its answers show. Passwords are not in it: all people have \(SeedReader.defaultPassword)",
        "Files are grey pictures. People without an e-mail have one that ends with example.invalid.",
      ])
    out.field("name", .text(recording.name))
    out.field("now", .text(WireDate.string(max(0, options.since))))
    if !residents.isEmpty {
      out.openList("people")
      for person in residents { out.item(person.value) }
      out.closeList()
    }
    let places = order.compactMap { key in key.hasPrefix("w") && !hasMade(key) ? String(key.dropFirst()) : nil }
    var used: Set<String> = []
    let wanted = places.filter { used.insert(workspaces[$0]?.name ?? "").inserted }
    if !wanted.isEmpty {
      out.openList("workspaces")
      for id in wanted { if let workspace = workspaces[id] { write(workspace, id, name, &out) } }
      out.closeList()
    }
    return String(decoding: out.take(), as: UTF8.self)
  }

  /// People before the session, and owners that no answer shows.
  private var residents: [Person] {
    var residents = order.compactMap { key in
      key.hasPrefix("p") && !hasMade(key) ? people[String(key.dropFirst())] : nil
    }
    var known = Set(residents.map(\.email))
    for place in Array(workspaces.values) + Array(channels.values) {
      if let owner = place.owner, !hasEmail(owner), known.insert(email(owner)).inserted {
        residents.append(Person(email: email(owner), nickname: "Unknown"))
      }
    }
    return residents
  }

  /// The e-mail of an id; a made-up one if no answer shows it.
  private func email(_ id: String) -> String { emailOf(id) ?? "unknown-\(id.prefix(8).lowercased())@example.invalid" }
  private func hasEmail(_ id: String) -> Bool { emailOf(id) != nil }

  private func distance(_ moment: Int64) -> SeedValue {
    .word(LengthOfTime.text(ofMilliseconds: min(0, moment - options.since)))
  }

  private func write(_ place: Place, _ id: String, _ name: (String) -> SeedValue, _ out: inout SeedText) {
    let owner = place.owner.map(email) ?? place.members.first ?? residents.first?.email ?? ""
    let own = order.compactMap { key -> (String, Place)? in
      guard key.hasPrefix("c"), !hasMade(key), let channel = channels[String(key.dropFirst())], channel.workspace == id
      else { return nil }
      return (String(key.dropFirst()), channel)
    }
    let pairs = pairs(in: id)
    var members = Set(place.members)
    for (_, channel) in own { members.formUnion(channel.members + [channel.owner.map(email)].compactMap(\.self)) }
    for pair in pairs { members.formUnion(pair.people) }
    members = members.filter { isResident($0) && !hasMade("m\(id) \($0)") }
    let main = own.first { $0.1.name == options.defaultChannel }?.1
    out.openItem()
    out.field("name", .text(place.name))
    if !place.description.isEmpty { out.field("description", .text(place.description)) }
    out.field("owner", name(owner))
    let oldest =
      own.flatMap { $0.1.chats.values.map(\.createdAt) + [$0.1.createdAt].compactMap(\.self) }
      + pairs.flatMap { $0.chats.values.map(\.createdAt) + [$0.createdAt].compactMap(\.self) }
    let created = min(place.createdAt ?? options.since, oldest.min() ?? .max, options.since)
    out.field("created", distance(created))
    if place.hasCover { out.field("cover", Self.grey) }
    write(members: members, besides: owner, name, &out)
    if let main {
      if !main.description.isEmpty { out.field("defaultChannel", .fields([("description", .text(main.description))])) }
      write(main.chats, among: members.union([owner]), since: created, name, &out)
    }
    let others = own.filter { $0.1.name != options.defaultChannel }
    if !others.isEmpty {
      out.openList("channels")
      for (_, channel) in others {
        out.openItem()
        out.field("name", .text(channel.name))
        if !channel.description.isEmpty { out.field("description", .text(channel.description)) }
        let channelOwner = channel.owner.map(email) ?? owner
        out.field("owner", name(members.contains(channelOwner) ? channelOwner : owner))
        let start = min(channel.createdAt ?? created, channel.chats.values.map(\.createdAt).min() ?? .max)
        out.field("created", distance(start))
        if channel.hasCover { out.field("cover", Self.grey) }
        let inside = Set(channel.members).filter { members.contains($0) || $0 == owner }
        write(members: inside, besides: channelOwner, name, &out)
        write(channel.chats, among: inside.union([channelOwner]), since: start, name, &out)
        out.closeItem()
      }
      out.closeList()
    }
    if !pairs.isEmpty {
      out.openList("directMessages")
      for pair in pairs {
        out.openItem()
        out.field("between", .list(pair.people.map(name)))
        let start = min(pair.createdAt ?? created, pair.chats.values.map(\.createdAt).min() ?? .max)
        out.field("created", distance(start))
        write(pair.chats, among: Set(pair.people), since: start, name, &out)
        out.closeItem()
      }
      out.closeList()
    }
    out.closeItem()
  }

  /// Pairs of people before the session, each once.
  private func pairs(in workspace: String) -> [Pair] {
    var seen: Set<Set<String>> = []
    return pairs.sorted { $0.key < $1.key }.map(\.value).filter { pair in
      pair.workspace == workspace && pair.people.count == 2 && pair.people.allSatisfy(isResident)
        && (pair.createdAt ?? .min < options.since || !pair.chats.isEmpty) && seen.insert(Set(pair.people)).inserted
    }
  }

  private func isResident(_ email: String) -> Bool {
    !hasMade("p" + email) && (people[email] != nil || email.hasSuffix("@example.invalid"))
  }

  private static var grey: SeedValue { .fields([("color", .text(SeedExport.substitute))]) }

  private func write(members: Set<String>, besides owner: String, _ name: (String) -> SeedValue, _ out: inout SeedText)
  {
    let list = members.filter { $0 != owner }.sorted()
    if !list.isEmpty { out.field("members", .list(list.map(name))) }
  }

  private func write(
    _ chats: [String: Chat], among authors: Set<String>, since: Int64, _ name: (String) -> SeedValue,
    _ out: inout SeedText
  ) {
    let old = chats.sorted { ($0.value.createdAt, $0.key) < ($1.value.createdAt, $1.key) }.map(\.value)
      .filter { authors.contains($0.author) && (!$0.text.isEmpty || $0.files > 0) }
    guard !old.isEmpty else { return }
    out.openList("chats")
    // No two chats of a room have the same time.
    var last = min(since, options.since) - 1
    for chat in old {
      last = max(last + 1, chat.createdAt)
      var fields = [
        ("from", name(chat.author)), ("at", SeedValue.word(LengthOfTime.text(ofMilliseconds: last - options.since))),
        ("text", .text(chat.text)),
      ]
      if chat.files > 0 { fields.append(("files", .list(Array(repeating: Self.grey, count: min(chat.files, 100))))) }
      out.item(.fields(fields))
    }
    out.closeList()
  }
}

extension RecordedWorld.Person {
  fileprivate var value: SeedValue {
    var fields = [("email", SeedValue.text(email))]
    if let nickname, !nickname.isEmpty { fields.append(("nickname", .text(nickname))) }
    if !phone.isEmpty { fields.append(("phone", .text(phone))) }
    if hasPicture { fields.append(("picture", .fields([("color", .text(SeedExport.substitute))]))) }
    if let coins { fields.append(("coins", .plain("\(max(0, min(coins, 1_000_000_000)))"))) }
    return .fields(fields)
  }
}
