import Foundation
import MadangCore
import Testing

@testable import MadangServer

@Suite("Notices of commits", .timeLimit(.minutes(5)))
struct CommitNoticesTests {
  @Test(
    "a commit notice is read from as many payloads as it takes, each below 8000 bytes", arguments: [0, 1, 150, 1000])
  func roundTrip(_ rooms: Int) {
    var notice = CommitNotices.Notice(hasChanges: true)
    for index in 0..<min(rooms, CommitNotices.maxChats) {
      notice.chats.append(SealedChat(room: Int64(index), seq: .max, text: String(repeating: "A", count: 3000)))
    }
    for index in 0..<rooms {
      notice.rooms[.max - Int64(index)] = .max
      let key = SignInKey(account: KeyHash("\(index)"), address: KeyHash("at \(index)"))
      notice.failures[key] = index % 1000 + 1
      notice.homes.insert(key)
      notice.addresses.insert(key.address)
    }
    var heard = CommitNotices.Notice()
    for payload in CommitNotices.payloads(notice, number: .max) {
      #expect(payload.utf8.count < 8000)
      let part = CommitNotices.notice(payload)
      heard.rooms.merge(part.rooms) { first, _ in first }
      heard.failures.merge(part.failures) { first, _ in first }
      heard.homes.formUnion(part.homes)
      heard.addresses.formUnion(part.addresses)
      heard.chats += part.chats
      heard.hasChanges = heard.hasChanges || part.hasChanges
    }
    #expect(heard == notice)
  }

  @Test("two notices of equal failures differ, as PostgreSQL delivers equal ones once")
  func repeated() {
    let key = SignInKey(account: KeyHash("mina"), address: KeyHash("198.51.100.1"))
    let notice = CommitNotices.Notice(failures: [key: 1])
    let (first, second) = (CommitNotices.payloads(notice, number: 1), CommitNotices.payloads(notice, number: 2))
    #expect(first != second)
    #expect((first + second).map(CommitNotices.notice) == [notice, notice])
    // A place appears once.
    let hint = CommitNotices.Notice(rooms: [1: 2], hasChanges: true)
    #expect(CommitNotices.payloads(hint, number: 1) == CommitNotices.payloads(hint, number: 2))
  }

  @Test(
    "unreadable notices are ignored",
    arguments: [
      "f:\(String(repeating: "0", count: 32)):\(String(repeating: "f", count: 32)):1001",
      "", " ", ":", "1:", ":1", "1:2:3", "99999999999999999999:1", "x:y", "cc", "\u{0}", "1.5:2", "f:1:2:3", "h:x:y",
      "a:z", "t:1:2", "t:x:2:AAAA", "t:1:2:AAAA:", "t:1::AAAA",
    ])
  func unreadable(_ payload: String) {
    #expect(CommitNotices.notice(payload) == CommitNotices.Notice())
  }

  private static func chat(_ seq: Int64, _ content: String = "See you at six.") throws -> Chat {
    try JSONDecoder().decode(
      Chat.self,
      from: Data(
        """
        {"id": {"number": \(seq), "uuid": "c"}, "seq": \(seq), "content": "\(content)", "files": ["channelChats/a.png"],
          "createdAt": 1700000000000, "author": {"id": {"number": 2, "uuid": "u"}, "email": "mina@example.com", "nickname": "민아"},
          "room": {"id": {"number": 3, "uuid": "r"}, "kind": "channel", "workspace": 4, "name": "ios", "lastSeq": \(seq)}}
        """.utf8))
  }

  @Test("a chat in a notice is opened only with the secret and at its own place")
  func sealed() throws {
    let seal = ChatSeal(secret: Array("one secret".utf8))
    let sealed = try #require(seal.close(try Self.chat(7)))
    #expect(!sealed.text.contains("six"))
    let chat = try #require(seal.open(sealed))
    #expect(
      chat.seq == 7 && chat.room.id.number == 3 && chat.author.nickname == "민아" && chat.files == ["channelChats/a.png"])
    #expect(ChatSeal(secret: Array("another secret".utf8)).open(sealed) == nil)
    #expect(seal.open(SealedChat(room: 3, seq: 8, text: sealed.text)) == nil)
    #expect(seal.open(SealedChat(room: 4, seq: 7, text: sealed.text)) == nil)
    #expect(seal.open(SealedChat(room: 3, seq: 7, text: "AAAA")) == nil)
  }

  @Test("a chat that is too long for a payload is announced by its place only")
  func tooLong() throws {
    let text = String(repeating: "A", count: 8000)
    let notice = CommitNotices.Notice(rooms: [3: 7], chats: [SealedChat(room: 3, seq: 7, text: text)])
    #expect(CommitNotices.payloads(notice, number: 1) == ["3:7"])
  }

  @Test("a notice carries few chats whole and many by their places", arguments: [1, 3, 4, 100])
  func carried(_ count: Int) throws {
    let seal = ChatSeal(secret: Array("one secret".utf8))
    var gathered = CommitNotices.Gathered()
    for seq in 1...count { gathered.add(try Self.chat(Int64(seq))) }
    let notice = gathered.notice(sealedBy: seal)
    #expect(notice.rooms == [3: Int64(count)])
    #expect(
      notice.chats.compactMap { seal.open($0)?.seq } == (count > CommitNotices.maxChats ? [] : Array(1...Int64(count))))
    // What was taken away before is acted on before: it is read, and so are they.
    gathered.notice.hasChanges = true
    #expect(gathered.notice(sealedBy: seal).chats.isEmpty)
  }
}
