import Foundation
import MadangAPI
import Testing

@testable import MadangClient
@testable import madang

@Suite("madang chat: the screen")
struct ChatScreenTests {
  private func chat(_ text: String, minute: Int = 0, files: [String] = []) -> Chat {
    let member = Edition2024_10.Member(userID: "u", email: "m@example.com", nickname: "미나", profileImage: nil)
    return .channel(
      .init(
        channelID: "c", channelName: "garden", chatID: "\(minute)", content: text,
        createdAt: WireDate.string(1_734_073_530_874 + Int64(minute) * 60_000), files: files, user: member))
  }

  @Test("chats are at the bottom under their day, and the line being typed is below the unread counts of other rooms")
  func layout() {
    var screen = ChatScreen(title: "#garden in Courtyard", hasColour: false)
    screen.connection = "live"
    screen.unread = [("#ios", 2), ("@Joon", 0)]
    screen.show([chat("안녕 hello", files: ["/static/channelChats/a.png"])])
    screen.line = LineEditor("typed 한")
    let frame = screen.frame(.init(rows: 8, columns: 40))
    #expect(frame.rows.count == 8)
    #expect(frame.rows[0] == " #garden in Courtyard  live".fitted(to: 40))
    let when = LocalTime(WireDate.string(1_734_073_530_874))
    #expect(frame.rows[1...2] == ["", ""])
    #expect(frame.rows[3] == when.day)
    #expect(frame.rows[4] == "\(when.time)  미나: 안녕 hello")
    #expect(frame.rows[5] == "       [/static/channelChats/a.png]")
    #expect(frame.rows[6] == " unread: #ios 2".fitted(to: 40))
    #expect(frame.rows[7] == "> typed 한")
    #expect(frame.cursor == (7, 10))
  }

  @Test("no row is wider than the screen, at any width and for any text")
  func widths() {
    var screen = ChatScreen(title: String(repeating: "넓은", count: 30), hasColour: false)
    screen.notice = String(repeating: "말", count: 100)
    screen.show([chat(String(repeating: "가나다 ", count: 50)), chat("a\tb\u{1B}[31m", minute: 1)])
    screen.line = LineEditor(String(repeating: "한글", count: 80))
    for columns in [20, 21, 80, 200] {
      for rows in [4, 24] {
        let frame = screen.frame(.init(rows: rows, columns: columns))
        #expect(frame.rows.count == rows)
        #expect(frame.rows.filter { $0.columns > columns || $0.contains("\u{1B}") } == [])
        #expect(frame.cursor.column < columns)
      }
    }
  }

  @Test("scrolling up ends at the oldest chat, and scrolling down takes as many steps")
  func scrolling() {
    var screen = ChatScreen(title: "", hasColour: false)
    screen.show((0..<50).map { chat("\($0)", minute: $0) })
    let size = ChatScreen.Size(rows: 13, columns: 40)
    let start = screen.frame(size).rows
    #expect(start[10].hasSuffix(": 49"))
    screen.scroll(rows: 10)
    let back = screen.frame(size).rows
    #expect(back[10].hasSuffix(": 39"))
    screen.scroll(rows: 1_000_000)
    let oldest = screen.frame(size).rows
    #expect(oldest[2].hasSuffix(": 0"))
    screen.scroll(rows: -1)
    let forward = screen.frame(size).rows
    #expect(forward[2].hasSuffix(": 1"))
    screen.scrollToEnd()
    let end = screen.frame(size).rows
    #expect(end[10].hasSuffix(": 49"))
  }

  @Test("older chats are requested when the oldest kept one is visible, until there are none")
  func older() {
    var screen = ChatScreen(title: "", hasColour: false)
    let size = ChatScreen.Size(rows: 8, columns: 40)
    screen.show((10..<20).map { chat("\($0)", minute: $0) })
    _ = screen.frame(size)
    #expect(!screen.wantsOlder)
    screen.scroll(rows: 20)
    _ = screen.frame(size)
    #expect(screen.wantsOlder)
    screen.add(older: (0..<10).map { chat("\($0)", minute: $0) })
    screen.scroll(rows: 1)
    let further = screen.frame(size).rows
    #expect(!screen.wantsOlder && further[5].hasSuffix(": 12"))
    screen.scroll(rows: 100)
    _ = screen.frame(size)
    #expect(screen.wantsOlder)
    #expect(screen.oldest?.content == "0")
    screen.add(older: [])
    _ = screen.frame(size)
    #expect(!screen.wantsOlder)
  }

  @Test("pending chats are shown below the room's chats, with the reason")
  func pending() {
    func pending(_ text: String, _ status: PendingChat.Status, files: [String] = []) -> PendingChat {
      PendingChat(id: UUID(), content: text, files: files.map { URL(filePath: $0) }, status: status)
    }
    var screen = ChatScreen(title: "", hasColour: false)
    screen.show(
      [chat("there")],
      pending: [
        pending("한 줄", .sending(sent: 0, total: 0)), pending("later", .waiting),
        pending("", .sending(sent: 1, total: 3), files: ["/tmp/감.png"]), pending("no", .failed(.outboxFull)),
      ])
    let rows = screen.frame(.init(rows: 12, columns: 120)).rows
    #expect(rows[2].hasSuffix("미나: there"))
    let expected = [
      "...    you: 한 줄", "...    you: later", "       (waiting)", "...    you: [감.png]", "       (33%)",
      "...    you: no",
    ]
    #expect(Array(rows[3..<9]) == expected)
    #expect(rows[9] == "       (not sent: \(MadangError.outboxFull); /retry or /discard)")
  }

  @Test("the number of kept chats is limited")
  func limit() {
    var screen = ChatScreen(title: "", hasColour: false)
    screen.show((0..<ChatScreen.limit + 5).map { chat("\($0)", minute: $0) })
    screen.scroll(rows: 1_000_000)
    let oldest = screen.frame(.init(rows: 6, columns: 40)).rows
    #expect(oldest[2].hasSuffix(": 5"))
  }
}
