/// How far the chats of a room were delivered, and which chats the last ones were: a database that took over without the last
/// commits gives out their numbers again.
package struct RoomPosition: Hashable, Sendable {
  package private(set) var seq: Int64
  /// Of the last chats up to ``seq``, one for each.
  private var marks: [Mark] = []
  /// Which hold the answer ends; nil if none. Then there is an answer also if nothing is new.
  package var hold: Int?

  /// How many of the last chats are known at least, once there were so many.
  private static let minMarks = 32

  package init(seq: Int64) { self.seq = seq }

  /// A delivered chat. Marks are equal if their ids are, because an operator may correct dates while sockets are connected.
  package struct Mark: Hashable, Sendable {
    private let id: UInt64
    /// Dates of a room's chats grow with their numbers.
    package let createdAt: Int64

    package init(id: String, createdAt: Int64) {
      // FNV-1a of a UUID, which is random.
      self.id = id.utf8.reduce(0xcbf2_9ce4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }
      self.createdAt = createdAt
    }

    package static func == (first: Self, second: Self) -> Bool { first.id == second.id }

    package func hash(into hasher: inout Hasher) { hasher.combine(id) }
  }

  /// The `seq` of the first chat that is known.
  var firstMark: Int64 { seq - Int64(marks.count) + 1 }
  /// The date of that chat: what was delivered before it has an earlier one.
  var firstDate: Int64? { marks.first?.createdAt }

  /// Notes that a chat was delivered: the next one, or one behind numbers that no chat has.
  package mutating func deliver(_ seq: Int64, _ chat: Mark) {
    pass(seq - 1)
    self.seq = seq
    note(chat)
  }

  /// Notes that there is no further chat up to this `seq`.
  package mutating func pass(_ seq: Int64) {
    guard seq > self.seq else { return }
    self.seq = seq
    marks = []
  }

  /// Notes which chat was the last one before any was delivered.
  package mutating func begin(with chat: Mark) {
    if marks.isEmpty { note(chat) }
  }

  /// Forgets the chats after this `seq`.
  package mutating func goBack(to seq: Int64) {
    marks.removeLast(min(marks.count, Int(self.seq - seq)))
    self.seq = seq
  }

  /// Whether this chat is known as delivered.
  package func has(_ seq: Int64, _ chat: Mark) -> Bool {
    seq >= firstMark && seq <= self.seq && marks[Int(seq - firstMark)] == chat
  }

  /// Whether a chat with the number of one that was delivered is that one, as far as is known: it is one of those before the
  /// first that is known, too.
  package func wasDelivered(_ seq: Int64, _ chat: Mark) -> Bool {
    has(seq, chat) || seq < firstMark && chat.createdAt < firstDate ?? .min
  }

  /// Whether this is what was delivered last: nothing, or this chat.
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
