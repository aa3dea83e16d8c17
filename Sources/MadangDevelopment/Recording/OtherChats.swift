import MadangAPI
import MadangCore

/// The chats that clients saw and did not post themselves: each once, at the real time at which it was written as far as that is known.
struct OtherChats {
  struct Found {
    let chat: SeenChat
    /// The event that showed it; nil for an answer.
    let event: JSONValue?
    let workspace: String?
    /// The e-mail of the account that saw it.
    let caller: String?
    var time: Double
    fileprivate let createdAt: Int64
  }

  private let options: Recorder.Options
  private var found: [String: Found] = [:]
  /// Chats that were posted by a recorded call, or seen before the recording.
  private var known: Set<String> = []
  /// Posts without an answer: the server may have them, under an unknown id.
  private var unanswered: [(author: String, room: String, content: String)] = []
  /// Recorded posts of each room, by ``SeenChat/roomKey``: the server's clock, and the real time.
  private var own: [String: [(createdAt: Int64, time: Double)]] = [:]
  /// The server's clock less real time, where both are known of a chat.
  private var difference: Double?

  /// In order of time.
  var inOrder: [Found] {
    found.values.sorted { ($0.time, $0.createdAt, $0.chat.key) < ($1.time, $1.createdAt, $1.chat.key) }
  }

  init(_ exchanges: [RecordedExchange], _ sightings: [Recorder.Sighting], _ options: Recorder.Options) {
    self.options = options
    for exchange in exchanges { note(exchange) }
    for sighting in sightings {
      SeenObject.each(in: sighting.json, workspace: nil) { object in
        guard case .chat(let chat, _) = object else { return }
        if sighting.isEarlier { known.insert(chat.key) } else { noteClock(chat, sighting.edition, sighting.time) }
      }
    }
    let start = exchanges.first { !$0.isEarlier }?.time ?? 0
    for sighting in sightings where !sighting.isEarlier {
      look(sighting.json, nil, sighting.person, sighting.edition, isEvent: true) { _ in sighting.time }
    }
    for exchange in exchanges where !exchange.isEarlier && exchange.hasSucceeded {
      guard let answer = exchange.answer else { continue }
      look(answer, exchange.workspace, exchange.person, exchange.edition) { [difference] moment in
        // Not later than the answer that shows it.
        difference.map { min(max(Double(moment) - $0, start), exchange.time) } ?? exchange.time
      }
    }
    for post in unanswered {
      let same = found.values.filter {
        $0.chat.author.text("email") == post.author && $0.chat.room == post.room && $0.chat.content == post.content
      }
      if let first = same.min(by: { $0.createdAt < $1.createdAt }) { found[first.chat.key] = nil }
    }
  }

  private mutating func note(_ exchange: RecordedExchange) {
    let posts = exchange.operation == "postToChannel" || exchange.operation == "postToDirectMessage"
    let isOwn = options.account.map { $0.lowercased() == exchange.person?.lowercased() } ?? true
    if exchange.isEarlier {
      guard let answer = exchange.answer else { return }
      SeenObject.each(in: answer, workspace: nil) { if case .chat(let chat, _) = $0 { known.insert(chat.key) } }
    } else if posts, isOwn, exchange.hasSucceeded, !exchange.isReplaced {
      if let chat = exchange.answer.flatMap({ SeenChat($0) }) {
        known.insert(chat.key)
        noteClock(chat, exchange.edition, exchange.time)
        if let moment = moment(chat, exchange.edition) {
          own[chat.roomKey, default: []].append((moment, exchange.time))
        }
      } else if let person = exchange.person {
        let room = exchange.match.parameters["room"] ?? exchange.match.parameters["id"]
        let id = room ?? exchange.match.parameters["channel"] ?? ""
        unanswered.append((person, id, exchange.body["content"] ?? ""))
      }
    }
  }

  /// A time in the order of the room's chats: where the server's clock stands still, they are all of one moment.
  private func between(_ chat: SeenChat, _ createdAt: Int64, _ time: Double) -> Double {
    let posts = own[chat.roomKey] ?? []
    let earlier = posts.filter { $0.createdAt < createdAt }.map(\.time).max().map { $0.nextUp } ?? -.infinity
    let later = posts.filter { $0.createdAt > createdAt }.map(\.time).min() ?? .infinity
    return max(min(time, later), earlier)
  }

  private mutating func noteClock(_ chat: SeenChat, _ edition: EditionName, _ time: Double) {
    if difference == nil, let moment = moment(chat, edition) { difference = Double(moment) - time }
  }

  private func moment(_ chat: SeenChat, _ edition: EditionName) -> Int64? {
    TimeText.date(chat.createdAt).map { $0 - options.offset(edition) }
  }

  private mutating func look(
    _ json: JSONValue, _ workspace: String?, _ caller: String?, _ edition: EditionName, isEvent: Bool = false,
    _ time: (Int64) -> Double
  ) {
    SeenObject.each(in: json, workspace: workspace) { object in
      guard case .chat(let chat, let workspace) = object, !known.contains(chat.key),
        let moment = moment(chat, edition), moment >= options.since
      else { return }
      let time = isEvent ? time(moment) : between(chat, moment, time(moment))
      if let earlier = found[chat.key]?.time, earlier <= time { return }
      found[chat.key] = Found(
        chat: chat, event: isEvent ? json : nil, workspace: workspace, caller: caller, time: time, createdAt: moment)
    }
  }
}

extension Recorder {
  /// A chat that came over a socket.
  struct Sighting {
    let json: JSONValue
    /// In real milliseconds.
    let time: Double
    let edition: EditionName
    /// The socket's account, by e-mail.
    var person: String?
    var isEarlier = false
  }
}
