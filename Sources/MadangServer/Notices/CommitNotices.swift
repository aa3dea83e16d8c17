import MadangCore
import Storage
import Synchronization

/// Notifies the other servers of a database, outside of transactions, of facts they would otherwise learn later: commits,
/// with the chats themselves if they are few, otherwise with a hint where to read; sign-ins, which they count; and
/// addresses for which connects may wait. Lost notices of commits and addresses are made up for by periodic reads; a lost
/// notice of sign-ins allows some more attempts.
final class CommitNotices: Sendable {
  /// The content of a notice.
  struct Notice: Equatable {
    /// The newest `seq` of rooms.
    var rooms: [Int64: Int64] = [:]
    var hasChanges = false
    /// How many sign-ins failed.
    var failures: [SignInKey: Int] = [:]
    /// Where sign-ins succeeded.
    var homes: Set<SignInKey> = []
    /// Addresses with an authenticated call.
    var addresses: Set<KeyHash> = []
    /// Chats of ``rooms``, which receivers then need not read.
    var chats: [SealedChat] = []
  }

  /// The content gathered for the next notice.
  struct Gathered {
    var notice = Notice()
    /// The chats of the notice's rooms, or none if they are many.
    private var chats: [Chat] = []
    private var areMany = false

    mutating func add(_ chat: Chat) {
      notice.rooms[chat.room.id.number] = chat.seq
      areMany = areMany || chats.count == maxChats
      if areMany { chats = [] } else { chats.append(chat) }
    }

    func notice(sealedBy seal: ChatSeal) -> Notice {
      var notice = notice
      // Changes come first: they are read before the chats that follow.
      notice.chats = notice.hasChanges ? [] : chats.compactMap(seal.close)
      return notice
    }
  }

  private struct State {
    var gathered = Gathered()
    var isScheduled = false
    /// How many notices there were.
    var number = 0
    /// When the last one was sent.
    var sentAt: ContinuousClock.Instant?
  }

  /// The time between two notices; content is gathered meanwhile.
  private static let pause: Duration = .milliseconds(3)
  /// Chats in one notice. For more chats it has only their places: reading many at once costs less than sending each.
  static let maxChats = 3
  /// The most failed sign-ins of one account at one address in a notice.
  private static let maxFailures = 1000

  private let channel: NotificationChannel
  private let seal: ChatSeal
  private let state = Mutex(State())

  /// - Parameter secret: Known to all servers of the database, but not to others who may connect to it.
  init(_ channel: NotificationChannel, secret: [UInt8]) {
    self.channel = channel
    seal = ChatSeal(secret: secret)
  }

  /// Returns at once.
  func add(_ change: (inout Notice) -> Void) { gather { change(&$0.notice) } }

  /// Announces a chat. Returns at once.
  func add(_ chat: Chat) { gather { $0.add(chat) } }

  /// The chat in another server's notice; nil if it cannot be read, for example because of another secret or version.
  func chat(_ sealed: SealedChat) -> Chat? { seal.open(sealed) }

  private func gather(_ change: (inout Gathered) -> Void) {
    let (isFirst, sentAt) = state.withLock { state in
      change(&state.gathered)
      defer { state.isScheduled = true }
      return (!state.isScheduled, state.sentAt)
    }
    guard isFirst else { return }
    // Unstructured: the committing request does not wait for it.
    Task {
      if let sentAt, case let rest = sentAt + Self.pause - .now, rest > .zero { try? await Task.sleep(for: rest) }
      let (gathered, number) = state.withLock { state in
        defer { state = State(number: state.number + 1, sentAt: .now) }
        return (state.gathered, state.number)
      }
      for payload in Self.payloads(gathered.notice(sealedBy: seal), number: number) { channel.notify(payload) }
    }
  }

  /// Words, as many as fit into a payload: `t:ROOM:SEQ:TEXT` for a chat, before the hints that it makes needless; `c` for
  /// changes, `ROOM:SEQ` for each room, `f:ACCOUNT:ADDRESS:NUMBER` for failed sign-ins, `h:ACCOUNT:ADDRESS` for a
  /// successful one, `a:ADDRESS` for an address with an authenticated call.
  /// - Parameter number: The notice's number. PostgreSQL delivers only one of several equal payloads in a transaction or
  ///   queue, so payloads that count something get a distinct word `n:NUMBER` without further meaning.
  static func payloads(_ notice: Notice, number: Int) -> [String] {
    let mark = notice.failures.isEmpty ? "" : "n:\(number) "
    var words = notice.chats.map { "t:\($0.room):\($0.seq):\($0.text)" }
    // Its place is still announced.
    words.removeAll { mark.utf8.count + $0.utf8.count > NotificationChannel.payloadLimit }
    if notice.hasChanges { words.append("c") }
    words += notice.rooms.map { "\($0.key):\($0.value)" }
    words += notice.failures.map { "f:\($0.key.account.hex):\($0.key.address.hex):\($0.value)" }
    words += notice.homes.map { "h:\($0.account.hex):\($0.address.hex)" }
    words += notice.addresses.map { "a:\($0.hex)" }
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

  /// The content of a payload, without unreadable words.
  static func notice(_ payload: String) -> Notice {
    var notice = Notice()
    for word in payload.utf8.split(separator: UInt8(ascii: " ")) {
      let parts = word.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false).map { Substring($0) }
      switch (parts[0], parts.count) {
      case ("c", 1): notice.hasChanges = true
      case ("f", 4):
        guard let key = SignInKey(parts), let number = Int(parts[3]), (1...maxFailures).contains(number) else {
          continue
        }
        notice.failures[key] = number
      case ("t", 4):
        guard let room = Int64(parts[1]), let seq = Int64(parts[2]) else { continue }
        notice.chats.append(SealedChat(room: room, seq: seq, text: String(parts[3])))
      case ("h", 3): if let key = SignInKey(parts) { notice.homes.insert(key) }
      case ("a", 2): if let address = KeyHash(hex: parts[1]) { notice.addresses.insert(address) }
      case (_, 2): if let room = Int64(parts[0]), let seq = Int64(parts[1]) { notice.rooms[room] = seq }
      default: continue
      }
    }
    return notice
  }
}

extension SignInKey {
  /// Reads the second and third part of a word.
  fileprivate init?(_ parts: [Substring]) {
    guard let account = KeyHash(hex: parts[1]), let address = KeyHash(hex: parts[2]) else { return nil }
    self.init(account: account, address: address)
  }
}
