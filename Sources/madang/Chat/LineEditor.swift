/// The line being typed and the cursor's position in it, counted in characters as people see them.
struct LineEditor: Equatable {
  private(set) var text = ""
  private(set) var cursor = 0
  /// Longest line in characters; further input is dropped.
  private let limit: Int

  init(_ text: String = "", limit: Int = 10_000) {
    self.text = text
    self.limit = limit
    cursor = text.count
  }

  /// Whether the line editor handled the key.
  @discardableResult
  mutating func press(_ key: Key) -> Bool {
    switch key {
    case .text(let typed): insert(typed)
    case .backspace: if cursor > 0 { remove(from: cursor - 1, to: cursor) }
    case .delete: if cursor < text.count { remove(from: cursor, to: cursor + 1) }
    case .left: cursor = max(0, cursor - 1)
    case .right: cursor = min(text.count, cursor + 1)
    case .home: cursor = 0
    case .end: cursor = text.count
    case .deleteToStart: remove(from: 0, to: cursor)
    case .deleteToEnd: remove(from: cursor, to: text.count)
    case .deleteWord: remove(from: startOfWord, to: cursor)
    case .enter, .up, .down, .pageUp, .pageDown, .interrupt, .endOfInput, .redraw: return false
    }
    return true
  }

  /// Returns the line and clears it.
  mutating func take() -> String {
    defer { self = LineEditor(limit: limit) }
    return text
  }

  /// The part of the line around the cursor that fits into `width` columns, and the cursor's column in it.
  func window(width: Int) -> (text: String, cursor: Int) {
    let characters = Array(text.printable.replacing("\n", with: " ").replacing("\t", with: " "))
    // A combining mark may have joined the placeholder of an unprintable character before it.
    var first = min(cursor, characters.count)
    var before = 0
    while first > 0, before + characters[first - 1].columns < width {
      first -= 1
      before += characters[first].columns
    }
    var shown = ""
    var columns = 0
    for character in characters[first...] {
      guard columns + character.columns <= width else { break }
      shown.append(character)
      columns += character.columns
    }
    return (shown, before)
  }

  private mutating func insert(_ typed: String) {
    let index = text.index(text.startIndex, offsetBy: cursor)
    // Counted after the insertion: typed text may join the character before it, like Korean letters and accents.
    let before = String(text[..<index]) + typed
    let whole = before + String(text[index...])
    guard whole.count <= limit else { return }
    text = whole
    cursor = min(before.count, text.count)
  }

  private mutating func remove(from start: Int, to end: Int) {
    let first = text.index(text.startIndex, offsetBy: start)
    text.removeSubrange(first..<text.index(first, offsetBy: end - start))
    cursor = min(start, text.count)
  }

  private var startOfWord: Int {
    let before = Array(text.prefix(cursor))
    let end = before.lastIndex { !$0.isWhitespace } ?? -1
    return end < 0 ? 0 : (before[..<end].lastIndex(where: \.isWhitespace) ?? -1) + 1
  }
}
