/// How far the chats of a room were delivered, and which chats were the last. A database that took over without the last commits gives
/// their numbers to other chats.
package struct RoomPosition: Hashable, Sendable {
  package private(set) var seq: Int64
  /// The last chats up to ``seq``, one mark for each.
  private var marks: [Mark] = []
  /// The number of the hold that this request is to end; nil if there is none. With a hold, there is an answer even if nothing is new.
  package var hold: Int?

  /// At least this many of the last chats are remembered, once there were so many.
  private static let minMarks = 32

  package init(seq: Int64) { self.seq = seq }

  /// A delivered chat. Marks with equal ids are equal, because an operator may correct dates while sockets are connected.
  package struct Mark: Hashable, Sendable {
    private let id: UInt64
    /// Dates in a room increase with the chats' numbers.
    package let createdAt: Int64

    package init(id: String, createdAt: Int64) {
      // FNV-1a of the UUID, which is random.
      self.id = id.utf8.reduce(0xcbf2_9ce4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }
      self.createdAt = createdAt
    }

    package static func == (first: Self, second: Self) -> Bool { first.id == second.id }

    package func hash(into hasher: inout Hasher) { hasher.combine(id) }
  }

  /// The `seq` of the oldest remembered chat.
  var firstMark: Int64 { seq - Int64(marks.count) + 1 }
  /// The date of the oldest remembered chat; chats that were delivered before it have earlier dates.
  var firstDate: Int64? { marks.first?.createdAt }

  /// Records the delivery of a chat. Numbers between the last delivered chat and this one belong to no chat.
  package mutating func deliver(_ seq: Int64, _ chat: Mark) {
    pass(seq - 1)
    self.seq = seq
    note(chat)
  }

  /// Records that no further chat has a number up to `seq`.
  package mutating func pass(_ seq: Int64) {
    guard seq > self.seq else { return }
    self.seq = seq
    marks = []
  }

  /// Records the room's last chat before the first delivery.
  package mutating func begin(with chat: Mark) {
    if marks.isEmpty { note(chat) }
  }

  /// Forgets the chats after `seq`.
  package mutating func goBack(to seq: Int64) {
    marks.removeLast(min(marks.count, Int(self.seq - seq)))
    self.seq = seq
  }

  /// Whether this chat is among the remembered ones.
  package func has(_ seq: Int64, _ chat: Mark) -> Bool {
    seq >= firstMark && seq <= self.seq && marks[Int(seq - firstMark)] == chat
  }

  /// Whether a chat with the number of a delivered one is that chat, as far as is known: it is remembered, or it is older than all
  /// remembered ones.
  package func wasDelivered(_ seq: Int64, _ chat: Mark) -> Bool {
    has(seq, chat) || seq < firstMark && chat.createdAt < firstDate ?? .min
  }

  /// Whether this was delivered last: nothing, or this chat.
  func isLast(_ seq: Int64, _ chat: Mark?) -> Bool {
    seq == self.seq && (chat.map { has(seq, $0) } ?? (seq == 0))
  }

  private mutating func note(_ chat: Mark) {
    marks.append(chat)
    if marks.count >= 2 * Self.minMarks { marks.removeFirst(Self.minMarks) }
  }
}

extension Chat {
  package var mark: RoomPosition.Mark { .init(id: id.uuid, createdAt: createdAt) }
}
