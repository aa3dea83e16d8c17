import Foundation
import Testing

@testable import madang

@Suite("Times on the command line")
struct MomentTests {
  @Test("a time is written as how long ago, as a day, or as a day and a time")
  func forms() throws {
    let now: Int64 = 1_700_000_000_000
    func moment(_ text: String) -> Int64? { Moment(text, now: now)?.milliseconds }
    #expect(moment("30m") == now - 1_800_000 && moment("12h") == now - 43_200_000)
    #expect(moment("7d") == now - 604_800_000 && moment("2w") == now - 1_209_600_000)
    #expect(moment("2023-11-14T22:13Z") == 1_699_999_980_000)
    #expect(moment("2023-11-14T22:13:20.000Z") == now && moment("2023-11-14 22:13:20Z") == now)
    #expect(moment("2023-11-14T22:13:20.1234Z") == now + 123 && moment("2023-11-14T22:13:20.5Z") == now + 500)
    let local = try #require(moment("2023-11-14"))
    #expect(try #require(moment("2023-11-14T00:01")) == local + 60_000)
    #expect(abs(local - 1_699_920_000_000) <= 14 * 3_600_000)
    for text in [
      "", "d", "7", "-7d", "7y", "99999999999999999999d", "2023-02-30", "2023-13-01", "2023-11-14T25:00",
      "2023-11-14T10:75", "2023-11-14T１0:15", "now",
    ] {
      #expect(moment(text) == nil, "\(text)")
    }
  }
}
