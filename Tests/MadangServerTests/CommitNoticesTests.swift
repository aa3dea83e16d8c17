import Testing

@testable import MadangServer

@Suite("Notices of commits")
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
    for payload in CommitNotices.payloads(notice) {
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
