import SocketIOProtocol

@testable import MadangDevelopment

/// `Testing` has an `Expectation`, too.
typealias Expected = Expectation

/// A journal, an expectation, and the right answer, worked out by hand.
struct JudgedJournal: Sendable {
  let what: String
  let journal: [Came]
  let expected: [Expectation.Item]
  var order = Expectation.Order.any
  var only = false
  var among: JournalFilter?
  /// Of missing items: `2: 0 of 1`.
  var missing: [String] = []
  /// The numbers of entries.
  var extra: [Int] = []
  /// Items that must not come, with their entries: `2: 1`.
  var forbidden: [String] = []
  /// Of entries: `3 before 2`.
  var wrongOrder: [String] = []
  /// `entry 1: content was 'Helo', expected 'Hello'`.
  var near: [String] = []
  /// Of entries: `1, 2`.
  var spacing: [String] = []

  /// Whether all of the answer is empty.
  var isMet: Bool { [missing, forbidden, wrongOrder, spacing].allSatisfy(\.isEmpty) && extra.isEmpty }

  init(
    _ what: String, _ journal: [Came], _ expected: [Expectation.Item], _ order: Expectation.Order = .any,
    only: Bool = false, among: JournalFilter? = nil, missing: [String] = [], extra: [Int] = [],
    forbidden: [String] = [], wrongOrder: [String] = [], near: [String] = [], spacing: [String] = []
  ) {
    (self.what, self.journal, self.expected, self.order) = (what, journal, expected, order)
    (self.only, self.among, self.missing, self.extra) = (only, among, missing, extra)
    (self.forbidden, self.wrongOrder, self.near, self.spacing) = (forbidden, wrongOrder, near, spacing)
  }

  /// The entries with their starts. Without a time of its own, an entry begins a second after the one before.
  var entries: [(entry: JournalEntry, begun: UInt64)] {
    journal.enumerated().map { index, came in
      let seconds = came.seconds ?? Double(index)
      var entry = JournalEntry(
        number: index + 1, kind: came.kind, at: "2026-01-05T09:00:00.000Z", elapsed: seconds * 1000)
      came.set(&entry)
      return (entry, UInt64(seconds * 1_000_000_000))
    }
  }

  func judged() throws -> ExpectationOutcome {
    var expectation = Expectation(expected)
    (expectation.order, expectation.only, expectation.among) = (order, only, among)
    return try ExpectationPattern(expectation).outcome(of: entries)
  }
}

/// An entry of a judged journal.
struct Came: Sendable {
  let kind: JournalEntry.Kind
  /// When it began, if that matters.
  var seconds: Double?
  let set: @Sendable (inout JournalEntry) -> Void

  private static func request(
    _ operation: String, _ method: String, _ path: String, _ status: Int?, _ account: String, _ body: String?
  ) -> Came {
    Came(kind: .request) { entry in
      (entry.operation, entry.method, entry.path, entry.edition) = (operation, method, path, "2024-10")
      (entry.status, entry.account) = (status, "\(account)@example.com")
      entry.request = .init(headers: [], size: body?.utf8.count ?? 0, body: body)
      if status == 400 { entry.code = "E11" }
      if status == 419 { (entry.status, entry.code) = (400, "E05") }
    }
  }

  static func post(_ content: String, by account: String = "mina", status: Int? = 200) -> Came {
    request(
      "postToChannel", "POST", "/v1/workspaces/1/channels/2/chats", status, account, #"{"content":"\#(content)"}"#)
  }

  /// With another body.
  static func post(json: String) -> Came {
    request("postToChannel", "POST", "/v1/workspaces/1/channels/2/chats", 200, "mina", json)
  }

  static let history = request("channelHistory", "GET", "/v1/workspaces/1/channels/2/chats", 200, "mina", nil)
  static let leave = request("leaveChannel", "GET", "/v1/workspaces/1/channels/2/exit", 200, "mina", nil)
  static func signIn(status: Int) -> Came { request("signIn", "POST", "/v1/users/login", status, "mina", nil) }

  static func event(_ content: String, in room: String = "2", name: String = "channel") -> Came {
    Came(kind: .packet) { entry in
      (entry.packet, entry.event, entry.direction, entry.transport) = ("event", name, "toClient", "websocket")
      (entry.namespace, entry.payload) = ("/ws-channel-\(room)", #"["\#(name)",{"content":"\#(content)"}]"#)
    }
  }

  static func push(to account: String) -> Came {
    Came(kind: .push) { entry in
      (entry.account, entry.deviceToken) = ("\(account)@example.com", "\(account)-phone")
      entry.payload = #"{"aps":{"alert":{"title":"Mina"}}}"#
    }
  }

  /// With this start, in seconds.
  func at(_ seconds: Double) -> Came {
    var came = self
    came.seconds = seconds
    return came
  }
}

// MARK: What is expected

extension JournalFilter {
  static let post = JournalFilter { $0.operation = "postToChannel" }
  static let history = JournalFilter { $0.operation = "channelHistory" }
  static let leave = JournalFilter { $0.operation = "leaveChannel" }
  static let chatEvent = JournalFilter { ($0.packet, $0.event) = ("event", "channel") }

  static func post(_ content: String) -> JournalFilter {
    post.having { $0.body = .object(["content": .text(content)]) }
  }
  static func push(to account: String) -> JournalFilter {
    JournalFilter { ($0.kind, $0.account) = ("push", "\(account)@example.com") }
  }

  func having(_ set: (inout JournalFilter) -> Void) -> JournalFilter {
    var filter = self
    set(&filter)
    return filter
  }
}

extension Expectation.Item {
  static func once(_ filter: JournalFilter) -> Self { times(1, filter) }
  static func never(_ filter: JournalFilter) -> Self { times(0, filter) }
  static func atLeast(_ count: Int, _ filter: JournalFilter) -> Self { .init(filter, times: .init(min: count)) }
  static func times(_ count: Int, _ filter: JournalFilter) -> Self {
    .init(filter, times: .init(min: count, max: count))
  }
  static func times(_ range: ClosedRange<Int>, _ filter: JournalFilter) -> Self {
    .init(filter, times: .init(min: range.lowerBound, max: range.upperBound))
  }

  static func spaced(_ item: Self, atLeast least: Duration? = nil, atMost most: Duration? = nil) -> Self {
    var item = item
    item.spacing = .init(atLeast: least, atMost: most)
    return item
  }
}
