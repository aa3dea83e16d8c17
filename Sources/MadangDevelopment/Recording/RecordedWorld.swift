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

  /// What the answers show, by e-mail or id.
  enum Key: Hashable {
    case person(String)
    case workspace(String)
    case channel(String)
    /// The invitation of a person to a workspace.
    case invitation(String, to: String)
    /// That a person joined a channel by reading its history.
    case reading(String, of: String)
  }

  let options: Recorder.Options
  private(set) var people: [String: Person] = [:]
  private(set) var workspaces: [String: Place] = [:]
  private(set) var channels: [String: Place] = [:]
  private(set) var pairs: [String: Pair] = [:]
  /// People and places, in order of appearance.
  private(set) var order: [Key] = []
  /// What the session itself made.
  private(set) var made: Set<Key> = []
  /// By the ids of people.
  private(set) var emails: [String: String] = [:]
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
    case "signUp": if let email = exchange.answer?.text("email") { made.insert(.person(email)) }
    case "createWorkspace": if let id = exchange.answer?.text("workspace_id") { made.insert(.workspace(id)) }
    case "createChannel": if let id = exchange.answer?.text("channel_id") { made.insert(.channel(id)) }
    default: break
    }
  }

  private mutating func noteJoin(_ exchange: RecordedExchange) {
    if exchange.operation == "invite", let email = exchange.answer?.text("email"), let id = exchange.workspace,
      !(workspaces[id]?.members.contains(email) ?? false)
    {
      made.insert(.invitation(email, to: id))
    }
    if exchange.operation == "leaveChannel", let person = exchange.person, let id = channel(of: exchange) {
      addMember(person, to: id)
    }
    if exchange.operation == "leaveWorkspace", let person = exchange.person, let id = exchange.workspace,
      !made.contains(.invitation(person, to: id))
    {
      workspaces[id]?.add(person)
    }
    // Before the answer is looked at, which may show the reader's own chats.
    if exchange.operation == "channelHistory", let person = exchange.person, let id = channel(of: exchange),
      !(channels[id]?.members.contains(person) ?? false), !hasOldChat(of: person, exchange)
    {
      made.insert(.reading(person, of: id))
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
    if people[email] == nil { order.append(.person(email)) }
    var person = people[email] ?? Person(email: email)
    person.nickname = person.nickname ?? json.text("nickname")
    if let phone = json.text("phone"), person.phone.isEmpty { person.phone = phone }
    if let coins = json.text("sesacCoin").flatMap({ Int($0) }), person.coins == nil { person.coins = coins }
    person.hasPicture = person.hasPicture || json.text("profileImage") != nil
    people[email] = person
  }

  private mutating func learn(workspace id: String, _ json: JSONValue) {
    guard let name = json.text("name") else { return }
    if workspaces[id] == nil { order.append(.workspace(id)) }
    var place = workspaces[id] ?? Place(name: name, workspace: id)
    place.learn(json, json.text("coverImage") ?? json.text("thumbnail"), json.text("createdAt").flatMap(moment))
    workspaces[id] = place
  }

  private mutating func learn(channel id: String, _ workspace: String?, _ name: String, _ json: JSONValue) {
    guard let workspace else { return }
    if channels[id] == nil { order.append(.channel(id)) }
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
        order.append(.channel(chat.room))
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
    if !made.contains(.reading(email, of: channel)) { channels[channel]?.add(email) }
  }
}

extension RecordedWorld.Place {
  fileprivate mutating func learn(_ json: JSONValue, _ cover: String?, _ createdAt: Int64?) {
    if description.isEmpty { description = json.text("description") ?? "" }
    owner = owner ?? json.text("owner_id")
    self.createdAt = self.createdAt ?? createdAt
    hasCover = hasCover || !(cover ?? "/default.").contains("/default.")
  }
}
