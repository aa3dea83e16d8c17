/// A habit of a client that will cause trouble in production.
package struct ReviewFinding: Codable, Equatable, Sendable {
  package enum Habit: String, Codable, CaseIterable, Sendable {
    case missingHeader, refreshStorm, needlessRefresh, polling, historyFromStart, connectionsLeaked, namespacesNotLeft
    case sameUploadTwice, afterSignOut, answerNotAwaited, doubledPost
  }

  /// The most calls that a finding names; `count` counts all.
  package static let maxCalls = 100

  package let habit: Habit
  /// The account of the client; nil if unknown.
  package let account: String?
  /// What it did, in words.
  package let what: String
  /// What to do instead.
  package let cure: String
  /// What the wire contract says about it.
  package let rule: String
  package let count: Int
  /// The numbers of the first journal entries.
  package let calls: [Int]

  /// - Parameter advice: Nil for the habit's.
  init(
    _ habit: Habit, of account: String?, _ what: String, _ entries: [JournalEntry],
    advice: (cure: String, rule: String)? = nil
  ) {
    self.habit = habit
    self.account = account
    self.what = what
    (cure, rule) = advice ?? (habit.cure, habit.rule)
    count = entries.count
    calls = entries.prefix(Self.maxCalls).map(\.number)
  }
}

extension ReviewFinding.Habit {
  fileprivate var cure: String {
    switch self {
    case .missingHeader: "set the header in one place for all calls, and call only once its value is known"
    case .refreshStorm: "run one refresh at a time, and let all calls that need it wait for it"
    case .needlessRefresh: "refresh after E05 only; another code stays the same with a new token"
    case .polling: "join the room's namespace, and call again when an event has come or the socket was disconnected"
    case .historyFromStart: "keep the chats, and send the date of the newest one as cursor_date"
    case .connectionsLeaked: "use one connection for all rooms, and close it when the person signs out"
    case .namespacesNotLeft: "leave the room's namespace when its screen is closed"
    case .sameUploadTwice: "look for the chat in the history before sending a file again"
    case .afterSignOut: "when the person signs out, cancel pending calls and forget the tokens"
    case .answerNotAwaited:
      "wait at least 10 seconds for an answer, longer for uploads; the server may have carried out the call"
    case .doubledPost: "look for the chat in the history before posting it again"
    }
  }

  fileprivate var rule: String {
    switch self {
    case .missingHeader:
      "every call needs SesacKey (otherwise E01); calls of an account need Authorization, and a refresh RefreshToken (otherwise E02)"
    case .refreshStorm:
      "an access token is valid until it expires, even after a refresh; more than 10 refreshes in 10 seconds are E98"
    case .needlessRefresh: "only E05 means that the access token has expired"
    case .polling: "each new chat is sent, once it is stored, to every socket in its room's namespace"
    case .historyFromStart: "a history after the cursor_date of a chat neither skips nor repeats one"
    case .connectionsLeaked: "one connection may be in any number of namespaces, at once or one after another"
    case .namespacesNotLeft: "the packet 41 leaves one namespace, and the connection stays"
    case .sameUploadTwice, .doubledPost: "no call has an idempotency key: a chat that is sent again is posted twice"
    case .afterSignOut: "signing out ends the session: afterwards its access tokens and refresh token get E02"
    case .answerNotAwaited: "a call is carried out even if its client does not wait for the answer"
    }
  }
}
