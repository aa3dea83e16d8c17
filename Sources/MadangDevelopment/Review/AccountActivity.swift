import MadangAPI
import MadangServer

/// The calls and packets of one account's clients, in order of their start.
struct AccountActivity {
  let account: String
  var calls: [JournalEntry] = []
  /// Packets of namespaces that admitted the account.
  var packets: [JournalEntry] = []
  /// Connections in which it was admitted.
  var connections: [JournalEntry] = []

  static func all(in entries: [JournalEntry]) -> [AccountActivity] {
    var accountOfSession: [String: String] = [:]
    var disturbed: Set<String> = []
    for entry in entries where entry.kind == .packet || entry.kind == .connection {
      guard let session = entry.session else { continue }
      if let account = entry.account { accountOfSession[session] = account }
      if entry.fault != nil { disturbed.insert(session) }
    }
    var activities: [String: AccountActivity] = [:]
    for entry in entries {
      guard let account = entry.account ?? entry.session.flatMap({ accountOfSession[$0] }) else { continue }
      switch entry.kind {
      case .request where entry.isCall:
        activities[account, default: AccountActivity(account: account)].calls.append(entry)
      case .packet: activities[account, default: AccountActivity(account: account)].packets.append(entry)
      // A session with an applied fault may end in ways that are not the client's mistake.
      case .connection where !disturbed.contains(entry.session ?? ""):
        activities[account, default: AccountActivity(account: account)].connections.append(entry)
      case .request, .connection, .push, .payment, .mail: break
      }
    }
    return activities.values.map { activity in
      var activity = activity
      // A request gets its number when it is answered.
      activity.calls.sort { ($0.elapsed, $0.number) < ($1.elapsed, $1.number) }
      return activity
    }.sorted { $0.account < $1.account }
  }

  // MARK: Tokens

  /// This many needless refreshes within 10 seconds are a storm.
  private static let storm = 2

  /// Needless refreshes: since the previous refresh, no call had found its token expired.
  var refreshStorm: ReviewFinding? {
    var needless: [JournalEntry] = []
    var previousEnd: Double?
    var lastExpired = -1.0
    for call in calls {
      if call.code == ErrorCode.tokenExpired.rawValue { lastExpired = call.elapsed }
      guard call.operation == "refresh" else { continue }
      if let end = previousEnd, lastExpired < end { needless.append(call) }
      previousEnd = max(previousEnd ?? 0, call.end)
    }
    let stormy = needless.enumerated().filter { index, refresh in
      let neighbours = [index - 1, index + 1].filter(needless.indices.contains).map { needless[$0] }
      return neighbours.contains { $0.distance(from: refresh) <= 10_000 }
    }.map(\.element)
    guard stormy.count >= Self.storm else { return nil }
    return ReviewFinding(
      .refreshStorm, of: account, "\(stormy.count) refreshes although another one had just returned a token", stormy)
  }

  var needlessRefresh: ReviewFinding? {
    var hasExpired = false
    var last: JournalEntry?
    var needless: [JournalEntry] = []
    // In order of the answers, because a client decides by them.
    for call in calls.sorted(by: { $0.end < $1.end }) where call.operation != "file" {
      guard call.operation == "refresh" else {
        if call.code == ErrorCode.tokenExpired.rawValue { hasExpired = true }
        last = call
        continue
      }
      if !hasExpired, let code = last?.code, let last, call.distance(from: last) <= 10_000, code.hasPrefix("E") {
        needless.append(call)
      }
      (hasExpired, last) = (false, nil)
    }
    guard !needless.isEmpty else { return nil }
    return ReviewFinding(
      .needlessRefresh, of: account,
      "\(needless.count) refreshes after an error that a new token does not fix", needless)
  }

  // MARK: Reading

  /// This many equal calls in a row without a reason are polling.
  private static let poll = 5

  /// Operations whose data a room's events already carry.
  private static let ofRooms: Set<String?> = [
    "channelHistory", "channelUnread", "directMessageHistory", "directMessageUnread",
  ]

  private static let pollingOutsideRooms = (
    cure:
      "ask when the screen opens, when the person pulls to refresh, and after a chat or a notification; not by a timer",
    rule: "sockets deliver chats only; other data changes when people do something"
  )

  var polling: [ReviewFinding] {
    var streaks: [String: [JournalEntry]] = [:]
    var found: [String: [JournalEntry]] = [:]
    // Examined at the end: a copy at each call would take quadratic time.
    func end(_ path: String) {
      guard let streak = streaks.removeValue(forKey: path), streak.count >= Self.poll else { return }
      found[path] = streak
    }
    // Signs for a client that there is something to read, or that it has missed something.
    let news = packets.filter { ($0.packet == "event" || $0.packet == "connect") && $0.direction == "toClient" }
    for entry in (calls + news).sorted(by: { ($0.elapsed, $0.number) < ($1.elapsed, $1.number) }) {
      guard entry.isCall, entry.method == "GET", let operation = entry.operation, let path = entry.path,
        operation != "file", operation != "refresh"
      else {
        for path in Array(streaks.keys) { end(path) }
        continue
      }
      guard entry.status == 200 else {
        end(path)
        continue
      }
      if let last = streaks[path]?.last, entry.distance(from: last) > 10_000 { end(path) }
      streaks[path, default: []].append(entry)
    }
    for path in Array(streaks.keys) { end(path) }
    return found.sorted { $0.key < $1.key }.map { path, calls in
      let isOfRoom = Self.ofRooms.contains(calls[0].operation)
      let isInRoom = isOfRoom && news.contains { $0.packet == "connect" }
      return ReviewFinding(
        .polling, of: account,
        "GET \(path) \(calls.count) times with 10 seconds between them at most, and nothing new"
          + (isInRoom ? ", beside a socket that tells of all new chats" : ""), calls,
        advice: isOfRoom ? nil : Self.pollingOutsideRooms)
    }
  }

  var historyFromStart: [ReviewFinding] {
    let histories = calls.filter {
      ["channelHistory", "directMessageHistory"].contains($0.operation) && $0.status == 200 && !$0.hasCursor
        && ($0.answer?.size ?? 0) > 2
    }
    return Dictionary(grouping: histories, by: { $0.path ?? "" }).sorted { $0.key < $1.key }.compactMap { path, calls in
      // One more time is what a fresh installation does.
      guard calls.count > 2 else { return nil }
      return ReviewFinding(
        .historyFromStart, of: account, "GET \(path) from its start \(calls.count) times, although chats were known",
        Array(calls.dropFirst()))
    }
  }

  var answersNotAwaited: ReviewFinding? {
    let left = calls.filter {
      $0.status == nil && ($0.milliseconds ?? 0) >= 4000 && ($0.fault == nil || $0.fault?.kind == "latency")
    }
    guard !left.isEmpty else { return nil }
    return ReviewFinding(
      .answerNotAwaited, of: account, "\(counted(left.count, "call")) given up before the answer came", left)
  }
}

extension JournalEntry {
  fileprivate var hasCursor: Bool {
    (query ?? "").split(separator: "&").contains { $0.hasPrefix("\(Field.cursorDate.rawValue)=") && !$0.hasSuffix("=") }
  }
}
