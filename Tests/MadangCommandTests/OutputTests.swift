import Testing

@testable import madang

@Suite("madang: output")
struct OutputTests {
  @Test("the progress bar of an upload fits its line, for names of any width")
  func bar() {
    for (label, width) in [("사진 스물네 장.png", 80), ("p", 40), (String(repeating: "긴", count: 90), 60)] {
      for sent in [0, 500_000, 2_000_000] {
        let line = UploadBar.line(label, sent: sent, total: 2_000_000, width: width)
        #expect(line.columns < width, "\(line)")
      }
    }
    let line = UploadBar.line("photo.png", sent: 1_000_000, total: 2_000_000, width: 60)
    #expect(line == "photo.png  [############-------------]   50%  1.0 of 2.0 MB")
  }

  @Test(
    "a table that is too wide for the terminal shrinks its widest column first, then its first one")
  func narrowTable() {
    let table = Table(
      headings: ["SETTING", "VALUE", "SAYS"],
      rows: [["registration.confirm", "off", "what an account may do before its address is confirmed"]])
    let lines = table.lines(width: 60)
    #expect(lines[1].hasPrefix("registration.confirm  off    what an account may do") && lines[1].columns <= 60)
    let narrow = table.lines(width: 30)
    #expect(narrow[1].columns <= 30 && narrow[1].hasPrefix("registra"))
    #expect(table.lines(width: nil)[1].hasSuffix("is confirmed"))
  }
}
