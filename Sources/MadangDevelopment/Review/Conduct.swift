import MadangAPI
import MadangServer

/// What one account's clients did, in the order in which it began.
struct Conduct {
  let account: String
  var calls: [JournalEntry] = []
  /// Packets of namespaces that let the account in.
  var packets: [JournalEntry] = []
  /// Of sessions in which it was let in.
  var connections: [JournalEntry] = []

  static func all(in entries: [JournalEntry]) -> [Conduct] {
    var accountOfSession: [String: String] = [:]
    var disturbed: Set<String> = []
    for entry in entries where entry.kind == .packet || entry.kind == .connection {
      guard let session = entry.session else { continue }
      if let account = entry.account { accountOfSession[session] = account }
      if entry.fault != nil { disturbed.insert(session) }
    }
    var conducts: [String: Conduct] = [:]
    for entry in entries {
      guard let account = entry.account ?? entry.session.flatMap({ accountOfSession[$0] }) else { continue }
      switch entry.kind {
      case .request where entry.isCall: conducts[account, default: Conduct(account: account)].calls.append(entry)
      case .packet: conducts[account, default: Conduct(account: account)].packets.append(entry)
      // A session that somebody who tests has disturbed may end in ways that are no fault of the client.
      case .connection where !disturbed.contains(entry.session ?? ""):
        conducts[account, default: Conduct(account: account)].connections.append(entry)
      case .request, .connection, .push, .payment: break
      }
    }
    return conducts.values.map { conduct in
      var conduct = conduct
      // A request has its number when it is answered.
      conduct.calls.sort { ($0.elapsed, $0.number) < ($1.elapsed, $1.number) }
      return conduct
    }.sorted { $0.account < $1.account }
  }

  // MARK: Tokens

  /// As many needless refreshes within 10 seconds are a storm.
  private static let storm = 2

  /// Refreshes for which there was no reason, as no call that began after the one before had found its token expired.
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
      .refreshStorm, of: account, "\(stormy.count) refreshes though another one had just brought a token", stormy)
  }

  var needlessRefresh: ReviewFinding? {
    var hasExpired = false
    var last: JournalEntry?
    var needless: [JournalEntry] = []
    // In the order of the answers, by which a client decides.
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
      "\(needless.count) refreshed tokens after an error that a new token does not change", needless)
  }

  // MARK: Reading

  /// As many equal calls in a row, of which none had a reason, are polling.
  private static let poll = 5

  /// What a room's events say as well.
  private static let ofRooms: Set<String?> = [
    "channelHistory", "channelUnread", "directMessageHistory", "directMessageUnread",
  ]

  private static let pollingOutsideRooms = (
    cure:
      "ask when the screen opens, when the person pulls to refresh, and after a chat or a notification; not by a timer",
    rule: "sockets tell of chats and of nothing else; what else there is changes when people do something"
  )

  var polling: [ReviewFinding] {
    var streaks: [String: [JournalEntry]] = [:]
    var found: [String: [JournalEntry]] = [:]
    // Looked at when it ends: a copy at each call would take the square of its length.
    func end(_ path: String) {
      guard let streak = streaks.removeValue(forKey: path), streak.count >= Self.poll else { return }
      found[path] = streak
    }
    // What tells a client that there is something to read, or that it has missed something.
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
      // Once more is what a fresh installation does.
      guard calls.count > 2 else { return nil }
      return ReviewFinding(
        .historyFromStart, of: account, "GET \(path) from its start \(calls.count) times, though there were chats",
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
