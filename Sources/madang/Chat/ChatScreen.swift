import MadangClient

/// The layout of a conversation on a terminal: title, chats, other rooms, the line being typed. Does not draw.
struct ChatScreen {
  struct Size: Equatable, Sendable {
    var rows: Int
    var columns: Int
  }

  /// The text of every row, and the position of the cursor, counted from 0.
  struct Frame: Equatable {
    var rows: [String]
    var cursor: (row: Int, column: Int)

    static func == (left: Frame, right: Frame) -> Bool { left.rows == right.rows && left.cursor == right.cursor }
  }

  /// How many chats are kept while the newest are shown; older ones are read again when needed.
  static let limit = 1000

  let title: String
  var line = LineEditor()
  /// The state of the connection, in words.
  var connection = "connecting"
  /// Unread chats in other rooms, by the rooms' names.
  var unread: [(room: String, count: Int)] = []
  /// The result of the last command, in words.
  var notice = ""
  private var chats: [Chat] = []
  /// The person's own chats that are not in the room yet.
  private(set) var pending: [PendingChat] = []
  /// Whether the oldest kept chat is on the screen and older ones may exist.
  private(set) var wantsOlder = false
  private var hasAll = false
  /// How many rows of chats are below the last visible one.
  private var scrolled = 0
  private let emphasised: (String) -> String
  private let bar: (String) -> String

  init(title: String, hasColour: Bool) {
    self.title = title
    emphasised = { hasColour ? "\u{1B}[1m\($0)\u{1B}[0m" : $0 }
    bar = { hasColour ? "\u{1B}[7m\($0)\u{1B}[0m" : $0 }
  }

  var oldest: Chat? { chats.first }

  mutating func apply(_ update: RoomUpdate) {
    connection =
      switch update.state {
      case .stopped, .connecting: "connecting"
      case .live: "live"
      case .interrupted(let reason): "connecting again (\(reason))"
      }
    show(update.chats, pending: update.pending)
  }

  mutating func show(_ new: [Chat], pending: [PendingChat] = []) {
    self.pending = pending
    chats += new
    guard scrolled == 0, chats.count > Self.limit else { return }
    chats.removeFirst(chats.count - Self.limit)
    hasAll = false
  }

  /// Inserts chats before the oldest one. An empty list means that the oldest chat of the room was reached.
  mutating func add(older: [Chat]) {
    if older.isEmpty { hasAll = true }
    chats = older + chats
  }

  mutating func scroll(rows: Int) { scrolled = max(0, scrolled + rows) }

  mutating func scrollToEnd() { scrolled = 0 }

  /// How many rows a screen of this size has for chats.
  static func chatRows(_ size: Size) -> Int { max(1, size.rows - 3) }

  /// Lays out the screen. Limits the scroll position to the oldest chat.
  mutating func frame(_ size: Size) -> Frame {
    let width = max(8, size.columns)
    let room = Self.chatRows(size)
    let chats = rows(room, width: width)
    let head = " \(title)  \(connection)"
    let others = unread.filter { $0.count > 0 }.map { "\($0.room) \($0.count)" }.joined(separator: "  ")
    let state = others.isEmpty ? " nothing unread elsewhere" : " unread: " + others
    let status = notice.isEmpty ? state : " \(notice) |\(state)"
    let prompt = "> "
    let typed = line.window(width: width - prompt.count)
    let rows = [bar(single(head, width))] + chats + [bar(single(status, width)), prompt + typed.text]
    return Frame(rows: rows, cursor: (rows.count - 1, prompt.count + typed.cursor))
  }

  /// One row, padded or cut to the width.
  private func single(_ text: String, _ width: Int) -> String {
    text.printable.replacing("\n", with: " ").replacing("\t", with: " ").fitted(to: width)
  }

  /// The visible rows of chats, the last one at the bottom.
  private mutating func rows(_ count: Int, width: Int) -> [String] {
    var rows = pending.flatMap { ChatLines.lines(of: $0, width: width, emphasised: emphasised) }
    for index in chats.indices.reversed() where rows.count < count + scrolled {
      let previous = index > 0 ? chats[index - 1] : nil
      let lines = ChatLines.lines(of: chats[index], after: previous, width: width, emphasised: emphasised)
      rows.insert(contentsOf: lines, at: 0)
    }
    wantsOlder = !hasAll && !chats.isEmpty && rows.count < count + scrolled
    scrolled = min(scrolled, max(0, rows.count - count))
    let shown = rows.dropLast(scrolled).suffix(count)
    return Array(repeating: "", count: count - shown.count) + shown
  }
}
