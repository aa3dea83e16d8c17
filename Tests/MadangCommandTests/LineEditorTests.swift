import Testing

@testable import madang

@Suite("madang chat: keys and the line")
struct LineEditorTests {
  @Test("keys are decoded alike, however the terminal splits their bytes")
  func pieces() {
    let bytes = Array("a한👨‍👩‍👧\u{1B}[D\u{1B}[3~\u{1B}OC\r\u{7F}\u{1B}[200~é".utf8)
    var whole = KeyReader()
    let keys = whole.keys(in: bytes)
    #expect(
      keys == [.text("a한👨‍👩‍👧"), .left, .delete, .right, .enter, .backspace, .text("é")])
    var one = KeyReader()
    var editor = (LineEditor(), LineEditor())
    for key in keys { editor.0.press(key) }
    for byte in bytes { for key in one.keys(in: [byte]) { editor.1.press(key) } }
    #expect(editor.0 == editor.1)
  }

  @Test("invalid bytes and unknown sequences are dropped, and the keys after them are kept")
  func noise() {
    var reader = KeyReader()
    let noise = reader.keys(in: [0xFF, 0xC3, 0x28, 0x80, 0x1B, 0x5B, 0x39, 0x39, 0x71, 0x62])
    #expect(noise == [.text("(b")])
    let escape = reader.keys(in: [0x1B])
    #expect(escape == [])
    let letter = reader.keys(in: Array("x".utf8))
    #expect(letter == [.text("x")])
    let controls = reader.keys(in: [3, 4, 12])
    #expect(controls == [.interrupt, .endOfInput, .redraw])
  }

  @Test("backspace removes a character as people see it; letters typed one by one join")
  func characters() {
    var line = LineEditor("가👨‍👩‍👧e\u{301}")
    line.press(.backspace)
    #expect(line.text == "가👨‍👩‍👧")
    line.press(.backspace)
    #expect(line.text == "가")
    for letter in ["\u{1112}", "\u{1161}", "\u{11AB}"] { line.press(.text(letter)) }
    #expect(line.text == "가\u{1112}\u{1161}\u{11AB}")
    #expect(line.cursor == 2)
    line.press(.backspace)
    #expect(line == LineEditor("가"))
  }

  @Test("the cursor moves, and words and halves of the line are deleted")
  func editing() {
    var line = LineEditor("one two  three")
    line.press(.deleteWord)
    #expect(line.text == "one two  ")
    line.press(.deleteWord)
    #expect(line.text == "one ")
    line.press(.text("1"))
    line.press(.left)
    line.press(.left)
    line.press(.deleteToEnd)
    #expect(line.text == "one")
    line.press(.home)
    line.press(.right)
    line.press(.deleteToStart)
    #expect(line.text == "ne")
    let isForTheLine = line.press(.enter)
    #expect(!isForTheLine)
    let taken = line.take()
    #expect(taken == "ne")
    #expect(line == LineEditor())
  }

  @Test("a long line is shown around the cursor, never with half a wide character")
  func window() {
    var line = LineEditor(String(repeating: "가", count: 20) + "end")
    let end = line.window(width: 10)
    #expect(end.text == "가가가end")
    #expect(end.cursor == 9)
    line.press(.home)
    let start = line.window(width: 9)
    #expect(start.text == "가가가가")
    #expect(start.cursor == 0)
  }

  @Test("a line is a text or a command")
  func lines() {
    let typed = { TypedLine($0, home: "/home/mina") }
    #expect(typed("  ") == .nothing)
    #expect(typed("hi /file") == .say("hi /file"))
    #expect(typed("//quit") == .say("/quit"))
    #expect(typed("/quit ") == .quit)
    #expect(typed("/file ~/my photo.png") == .file(path: "/home/mina/my photo.png"))
    #expect(typed("/file '/tmp/a b.png'") == .file(path: "/tmp/a b.png"))
    #expect(typed("/file") == .help)
    #expect(typed("/retry") == .retry)
    #expect(typed("/discard") == .discard)
    #expect(typed("/nonsense") == .unknown("nonsense"))
  }
}
