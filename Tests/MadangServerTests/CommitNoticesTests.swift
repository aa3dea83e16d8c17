import Testing

@testable import MadangServer

@Suite("Notices of commits", .timeLimit(.minutes(3)))
struct CommitNoticesTests {
  @Test(
    "what is told is understood, by as many payloads as it takes, each below 8000 bytes", arguments: [0, 1, 150, 1000])
  func roundTrip(_ rooms: Int) {
    var notice = CommitNotices.Notice(hasChanges: true)
    for index in 0..<rooms {
      notice.rooms[.max - Int64(index)] = .max
      let key = SignInTries.Key(account: KeyHash("\(index)"), address: KeyHash("at \(index)"))
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
      heard.hasChanges = heard.hasChanges || part.hasChanges
    }
    #expect(heard == notice)
  }

  @Test("two notices that tell the same failures are two, as equal ones would be delivered once")
  func repeated() {
    let key = SignInTries.Key(account: KeyHash("mina"), address: KeyHash("198.51.100.1"))
    let notice = CommitNotices.Notice(failures: [key: 1])
    let (first, second) = (CommitNotices.payloads(notice, number: 1), CommitNotices.payloads(notice, number: 2))
    #expect(first != second)
    #expect((first + second).map(CommitNotices.notice) == [notice, notice])
    // Where to look is told once.
    let hint = CommitNotices.Notice(rooms: [1: 2], hasChanges: true)
    #expect(CommitNotices.payloads(hint, number: 1) == CommitNotices.payloads(hint, number: 2))
  }

  @Test(
    "what cannot be read is left out",
    arguments: [
      "f:\(String(repeating: "0", count: 32)):\(String(repeating: "f", count: 32)):1001",
      "", " ", ":", "1:", ":1", "1:2:3", "99999999999999999999:1", "x:y", "cc", "\u{0}", "1.5:2", "f:1:2:3", "h:x:y",
      "a:z",
    ])
  func unreadable(_ payload: String) {
    #expect(CommitNotices.notice(payload) == CommitNotices.Notice())
  }
}
