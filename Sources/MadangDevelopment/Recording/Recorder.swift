import MadangAPI
import MadangCore
import MadangServer

/// Turns the calls of clients, and the chats that they saw, into the steps of a script.
struct Recorder {
  struct Options {
    /// Only calls of this person, by e-mail; nil for all.
    var account: String?
    var pauses = true
    var name = "recorded"
    /// Chats of others count from here, by the server's clock in milliseconds.
    var since: Int64 = .min
    /// The name of a workspace's default channel.
    var defaultChannel = Settings().workspaces.channelName
    /// The time zone of an edition's dates, in milliseconds east of UTC.
    var offset: @Sendable (EditionName) -> Int64 = { $0 == .january2024 ? 9 * 3_600_000 : 0 }
  }

  let options: Options
  private let knowledge: Knowledge
  /// As of the current step.
  private(set) var names: SessionNames
  private var steps = TimedSteps()
  private var leftOut: [Recording.LeftOut: Int] = [:]
  private var remarks: [String] = []
  /// Members of channels, by the channel's id.
  private var members: [String: Set<String>] = [:]
  /// Of all people that the session shows.
  var emails: Set<String> = []

  init(_ options: Options, _ knowledge: Knowledge = Knowledge()) {
    (self.options, self.knowledge) = (options, knowledge)
    names = SessionNames(knowledge.names, defaultChannel: options.defaultChannel)
  }

  /// - Parameters:
  ///   - exchanges: In order of their starts.
  ///   - unknown: How many requests are no call of the API.
  /// - Throws: ``WorldError`` if nothing was done, or too much for a script.
  mutating func record(
    _ exchanges: [RecordedExchange], _ sightings: [Sighting], unknown: Int = 0
  ) throws(WorldError) -> Recording {
    emails = knowledge.emails
    for exchange in exchanges { look(at: exchange) }
    leave(.foreign, unknown)
    let others = OtherChats(exchanges, sightings, options).inOrder
    var next = others[...]
    for exchange in exchanges {
      while let chat = next.first, chat.time <= exchange.time {
        add(chat)
        next.removeFirst()
      }
      if !exchange.isEarlier { try add(exchange) }
      learn(from: exchange)
    }
    for chat in next { add(chat) }
    guard !steps.isEmpty else {
      throw WorldError(
        "nothing was done that a script can repeat"
          + (leftOut.isEmpty ? "; use the client while it is recorded" : " (\(Recording.words(leftOut)))"))
    }
    let timed = options.pauses ? steps.withPauses : steps.all
    guard timed.count <= Script.maxSteps else {
      throw WorldError(
        "the session has \(timed.count) steps, a script at most \(Script.maxSteps): record a shorter time, or leave out pauses"
      )
    }
    return Recording(
      name: options.name, steps: timed, leftOut: leftOut, remarks: remarks,
      shortNames: ShortNames.of(emails.union(steps.all.compactMap(\.person))))
  }

  // MARK: Names

  private mutating func look(at exchange: RecordedExchange) {
    if let person = exchange.person { emails.insert(person) }
    guard let answer = exchange.answer, exchange.hasSucceeded else { return }
    // A new name is not the first.
    let renames = ["editWorkspace", "editChannel"].contains(exchange.operation) && exchange.body["name"] != nil
    if !renames {
      names.lookAhead(answer, workspace: exchange.workspace, caller: exchange.person)
    }
    SeenObject.each(in: answer, workspace: nil) { object in
      if case .person(_, let json) = object, let email = json.text("email") { emails.insert(email) }
    }
  }

  private mutating func learn(from exchange: RecordedExchange) {
    guard let answer = exchange.answer, exchange.hasSucceeded else { return }
    names.learn(answer, workspace: exchange.workspace, caller: exchange.person)
    if exchange.edition == .january2024, exchange.operation == "directMessageHistory",
      let room = answer.text("room_id"), let other = exchange.match.parameters["id"]
    {
      // The path has the other person's id, and the answer no person.
      let people = [exchange.person, names.email(other)].compactMap(\.self)
      names.learn(room: room, exchange.workspace, people)
    }
    learnMembers(from: exchange, answer)
  }

  private mutating func learnMembers(from exchange: RecordedExchange, _ answer: JSONValue) {
    switch exchange.operation {
    case "myChannels", "createChannel":
      guard let person = exchange.person else { return }
      SeenObject.each(in: answer, workspace: exchange.workspace) { object in
        if case .channel(let id, _, _, _) = object { members[id, default: []].insert(person) }
      }
    case "channel", "channelMembers":
      guard let channel = names.channelID(of: exchange) else { return }
      SeenObject.each(in: answer["channelMembers"] ?? answer, workspace: nil) { object in
        if case .person(_, let json) = object, let email = json.text("email") {
          members[channel, default: []].insert(email)
        }
      }
    default: break
    }
  }

  // MARK: Steps

  mutating func leave(_ kind: Recording.LeftOut, _ count: Int = 1) {
    if count > 0 { leftOut[kind, default: 0] += count }
  }

  mutating func append(_ step: RecordedStep, at time: Double) {
    steps.append(step, at: time)
  }

  mutating func remark(_ text: String) {
    if !remarks.contains(text), remarks.count < 100 { remarks.append(text) }
  }

  private mutating func add(_ other: OtherChats.Found) {
    let chat = other.chat
    guard let author = chat.author.text("email") else { return leave(.unnamed) }
    emails.insert(author)
    if let event = other.event { names.learn(event, workspace: other.workspace, caller: other.caller) }
    if !chat.isDirect { join(author, chat.room, at: other.time) }
    post(chat.content, chat.files, isDirect: chat.isDirect, chat.room, in: other.workspace, by: author, at: other.time)
  }

  /// Lets the author of a chat join its channel, if that was done meanwhile without a call.
  private mutating func join(_ person: String, _ id: String, at time: Double) {
    guard let joined = knowledge.joined, !(members[id]?.contains(person) ?? false) else { return }
    let workspace = names.channel(id)?.workspace
    guard let place = names.place(ofChannel: id, in: workspace), let workspaceName = names.workspace(workspace) else {
      return
    }
    if knowledge.joinedWorkspaces[workspace ?? ""]?[person] ?? .max >= options.since {
      append(.join(workspaceName, by: person), at: time)
    }
    guard place.contains("/"), joined[id]?[person] ?? .max >= options.since else { return }
    append(.join(place, by: person), at: time)
  }

  /// A post in a room; left out if the room has no name.
  private mutating func post(
    _ text: String, _ files: Int, isDirect: Bool, _ id: String, in workspace: String?, by author: String,
    at time: Double
  ) {
    if text.contains(/\{(n|text|nickname)\}/) {
      remark("A text with {n}, {text} or {nickname} is posted with what a script puts there.")
    }
    if isDirect {
      let room = names.room(id)
      guard let other = room?.people.first(where: { $0 != author }) else { return leave(.unnamed) }
      let place = names.workspace(room?.workspace ?? workspace)
      append(.post(text, files: files, place: place, to: other, by: author), at: time)
    } else {
      guard let place = names.place(ofChannel: id, in: workspace) else { return leave(.unnamed) }
      members[id, default: []].insert(author)
      append(.post(text, files: files, place: place, to: nil, by: author), at: time)
    }
  }

  private mutating func add(_ exchange: RecordedExchange) throws(WorldError) {
    guard exchange.hasSucceeded else { return leave(.refused) }
    guard !exchange.isReplaced else { return leave(.replaced) }
    if exchange.signsUp(since: options.since, options.offset) { return signUp(exchange) }
    if exchange.signsIn { return leave(.session) }
    switch exchange.operation {
    case "signOut", "refresh", "setDeviceToken", "validateEmail", "validatePayment": return leave(.session)
    case "leaveWorkspace", "leaveChannel", "channelHistory": break
    default: if exchange.match.operation.method == "GET" { return leave(.read) }
    }
    if exchange.operation == "channelHistory", !joins(exchange) { return leave(.read) }
    guard let person = exchange.person else {
      throw WorldError("\(exchange.label): it does not show who made this call; name the person with --account")
    }
    if let account = options.account, account.lowercased() != person.lowercased() { return leave(.ofOthers) }
    guard exchange.body.isWhole else { return leave(.cut) }
    act(exchange, person)
  }

  /// Whether reading a channel's history makes the reader a member.
  private func joins(_ exchange: RecordedExchange) -> Bool {
    guard let person = exchange.person, let id = names.channelID(of: exchange) else { return false }
    if members[id]?.contains(person) ?? false { return false }
    guard let moment = exchange.moment, let joined = knowledge.joined?[id]?[person] else { return true }
    return joined >= moment
  }

  private mutating func act(_ exchange: RecordedExchange, _ person: String) {
    let (body, workspace) = (exchange.body, exchange.workspace)
    let place = names.channelID(of: exchange).flatMap { names.place(ofChannel: $0, in: workspace) }
    switch exchange.operation {
    case "channelHistory":
      guard let place, let id = names.channelID(of: exchange) else { return leave(.unnamed) }
      members[id, default: []].insert(person)
      // Members of a workspace are in its default channel.
      guard place.contains("/") else { return leave(.read) }
      append(.join(place, by: person), at: exchange.time)
    case "postToChannel", "postToDirectMessage":
      let isDirect = exchange.operation == "postToDirectMessage"
      let id =
        isDirect ? exchange.match.parameters["room"] ?? exchange.match.parameters["id"] : names.channelID(of: exchange)
      let posted = exchange.answer.flatMap { SeenChat($0) }
      post(
        posted?.content ?? body["content"] ?? "", posted?.files ?? body.files.count, isDirect: isDirect, id ?? "",
        in: workspace, by: person, at: exchange.time)
    case "leaveChannel":
      guard let place, let id = names.channelID(of: exchange) else { return call(exchange, person) }
      members[id]?.remove(person)
      append(.leave(place, by: person), at: exchange.time)
    case "leaveWorkspace":
      guard let name = names.workspace(workspace) else { return call(exchange, person) }
      for id in members.keys where names.channel(id)?.workspace == workspace { members[id]?.remove(person) }
      append(.leave(name, by: person), at: exchange.time)
    case "invite":
      guard let name = names.workspace(workspace), let email = exchange.answer?.text("email") ?? body["email"] else {
        return call(exchange, person)
      }
      emails.insert(email)
      append(.join(name, by: email), at: exchange.time)
    default: call(exchange, person)
    }
  }
}
