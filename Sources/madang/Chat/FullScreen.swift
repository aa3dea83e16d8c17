import Foundation

/// The whole terminal, key by key: raw mode and the alternate screen. ``leave()`` restores both.
final class FullScreen {
  private var settings = termios()
  private var drawn: [String] = []
  private var size: ChatScreen.Size?

  /// - Throws: ``Failure`` if standard input is not a terminal.
  init() throws {
    guard tcgetattr(STDIN_FILENO, &settings) == 0 else { throw Failure("the terminal does not answer") }
    var raw = settings
    cfmakeraw(&raw)
    tcsetattr(STDIN_FILENO, TCSADRAIN, &raw)
    do { try Terminal.data("\u{1B}[?1049h\u{1B}[2J".utf8) } catch {
      leave()
      throw error
    }
  }

  /// Restores the terminal. Does nothing for a terminal that was closed.
  func leave() {
    try? Terminal.data("\u{1B}[0m\u{1B}[?1049l".utf8)
    tcsetattr(STDIN_FILENO, TCSADRAIN, &settings)
  }

  static var size: ChatScreen.Size {
    var size = winsize()
    let known = ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0 && size.ws_col > 0 && size.ws_row > 0
    return known ? .init(rows: Int(size.ws_row), columns: Int(size.ws_col)) : .init(rows: 24, columns: 80)
  }

  /// Draws the rows that changed since the last call; all rows after a change of size.
  func draw(_ frame: ChatScreen.Frame, _ size: ChatScreen.Size) throws {
    var text = "\u{1B}[?25l"
    if size != self.size {
      drawn = []
      text += "\u{1B}[2J"
    }
    for (row, line) in frame.rows.prefix(size.rows).enumerated()
    where !drawn.indices.contains(row) || drawn[row] != line {
      text += "\u{1B}[\(row + 1);1H\(line)\u{1B}[K"
    }
    text += "\u{1B}[\(min(frame.cursor.row, size.rows - 1) + 1);\(frame.cursor.column + 1)H\u{1B}[?25h"
    try Terminal.data(text.utf8)
    drawn = frame.rows
    self.size = size
  }

  /// Makes the next call of ``draw(_:_:)`` draw all rows.
  func forget() { size = nil }
}
