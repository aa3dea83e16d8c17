import Storage
import Synchronization

/// Tells the other servers of a database what they would otherwise learn later: what this one has committed, a hint where to
/// look; sign-ins, which they count; addresses for which connects may wait. Outside of transactions. What is lost of commits
/// and addresses is made up for by looking once in a while; of sign-ins it costs some tries.
final class CommitNotices: Sendable {
  /// What others are told, or tell.
  struct Notice: Equatable {
    /// The newest `seq` of rooms.
    var rooms: [Int64: Int64] = [:]
    var hasChanges = false
    /// How many sign-ins failed.
    var failures: [SignInTries.Key: Int] = [:]
    /// Where sign-ins succeeded.
    var homes: Set<SignInTries.Key> = []
    /// Addresses at which accounts were seen.
    var addresses: Set<KeyHash> = []
  }

  private struct State {
    var notice = Notice()
    var isScheduled = false
    /// How many notices there were.
    var number = 0
  }

  /// How long what is told is gathered.
  private static let pause: Duration = .milliseconds(3)
  /// Failed sign-ins of one account at one address that a notice may tell of.
  private static let maxFailures = 1000

  private let channel: NotificationChannel
  private let state = Mutex(State())

  init(_ channel: NotificationChannel) { self.channel = channel }

  /// Returns at once.
  func add(_ change: (inout Notice) -> Void) {
    let isFirst = state.withLock { state in
      change(&state.notice)
      defer { state.isScheduled = true }
      return !state.isScheduled
    }
    guard isFirst else { return }
    // Unstructured: whoever commits does not wait for it.
    Task {
      try? await Task.sleep(for: Self.pause)
      let (notice, number) = state.withLock { state in
        defer { state = State(number: state.number + 1) }
        return (state.notice, state.number)
      }
      for payload in Self.payloads(notice, number: number) { channel.notify(payload) }
    }
  }

  /// Words, as many in a payload as it takes: `c` for changes, `ROOM:SEQ` for each room, `f:ACCOUNT:ADDRESS:NUMBER` for
  /// failed sign-ins, `h:ACCOUNT:ADDRESS` for one that succeeded, `a:ADDRESS` for one at which somebody was seen.
  /// - Parameter number: Of the notice. Of equal payloads that wait, or are sent in one transaction, PostgreSQL delivers one;
  ///   those that count something are made different by a word `n:NUMBER`, which says nothing else.
  static func payloads(_ notice: Notice, number: Int) -> [String] {
    var words = notice.hasChanges ? ["c"] : []
    words += notice.rooms.map { "\($0.key):\($0.value)" }
    words += notice.failures.map { "f:\($0.key.account.hex):\($0.key.address.hex):\($0.value)" }
    words += notice.homes.map { "h:\($0.account.hex):\($0.address.hex)" }
    words += notice.addresses.map { "a:\($0.hex)" }
    let mark = notice.failures.isEmpty ? "" : "n:\(number) "
    var payloads: [String] = []
    for word in words {
      if let last = payloads.last, last.utf8.count + 1 + word.utf8.count <= NotificationChannel.payloadLimit {
        payloads[payloads.count - 1] += " " + word
      } else {
        payloads.append(mark + word)
      }
    }
    return payloads
  }

  /// What a payload says; what cannot be read is left out.
  static func notice(_ payload: String) -> Notice {
    var notice = Notice()
    for word in payload.utf8.split(separator: UInt8(ascii: " ")) {
      let parts = word.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false).map { Substring($0) }
      switch (parts[0], parts.count) {
      case ("c", 1): notice.hasChanges = true
      case ("f", 4):
        guard let key = SignInTries.Key(parts), let number = Int(parts[3]), (1...maxFailures).contains(number) else {
          continue
        }
        notice.failures[key] = number
      case ("h", 3): if let key = SignInTries.Key(parts) { notice.homes.insert(key) }
      case ("a", 2): if let address = KeyHash(hex: parts[1]) { notice.addresses.insert(address) }
      case (_, 2): if let room = Int64(parts[0]), let seq = Int64(parts[1]) { notice.rooms[room] = seq }
      default: continue
      }
    }
    return notice
  }
}

extension SignInTries.Key {
  /// From the second and the third part of a word.
  fileprivate init?(_ parts: [Substring]) {
    guard let account = KeyHash(hex: parts[1]), let address = KeyHash(hex: parts[2]) else { return nil }
    self.init(account: account, address: address)
  }
}
