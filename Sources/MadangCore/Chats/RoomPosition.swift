/// How far the chats of a room were delivered, and which chats the last ones were: a database that took over without the last
/// commits gives out their numbers again.
package struct RoomPosition: Hashable, Sendable {
  package private(set) var seq: Int64
  /// Of the last chats up to ``seq``, one for each.
  private var marks: [UInt64] = []
  /// Which hold the answer ends; nil if none. Then there is an answer also if nothing is new.
  package var hold: Int?

  /// How many of the last chats are known at least, once there were so many.
  private static let minMarks = 32

  package init(seq: Int64) { self.seq = seq }

  package var hasMarks: Bool { !marks.isEmpty }
  /// The `seq` of the first chat that is known.
  var firstMark: Int64 { seq - Int64(marks.count) + 1 }

  /// Notes that a chat was delivered: the next one, or one behind numbers that no chat has.
  package mutating func deliver(_ seq: Int64, _ chat: String) {
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
  package mutating func begin(with chat: String) {
    if marks.isEmpty { note(chat) }
  }

  /// Forgets the chats after this `seq`.
  package mutating func goBack(to seq: Int64) {
    marks.removeLast(min(marks.count, Int(self.seq - seq)))
    self.seq = seq
  }

  /// Whether this chat is known as delivered.
  package func has(_ seq: Int64, _ chat: String) -> Bool {
    seq >= firstMark && seq <= self.seq && marks[Int(seq - firstMark)] == Self.mark(chat)
  }

  /// Whether the chat of this `seq` is so old that it is not known which it was.
  package func isForgotten(_ seq: Int64) -> Bool { seq < firstMark }

  /// Whether this is what was delivered last: nothing, or this chat.
  func isLast(_ seq: Int64, _ chat: String?) -> Bool {
    seq == self.seq && (chat.map { has(seq, $0) } ?? (seq == 0))
  }

  private mutating func note(_ chat: String) {
    marks.append(Self.mark(chat))
    if marks.count >= 2 * Self.minMarks { marks.removeFirst(Self.minMarks) }
  }

  /// FNV-1a of a UUID, which is random.
  private static func mark(_ chat: String) -> UInt64 {
    chat.utf8.reduce(0xcbf2_9ce4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }
  }
}
