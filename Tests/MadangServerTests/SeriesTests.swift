import Foundation
import MadangAPI
import Testing

@testable import MadangOperations
@testable import MadangServer

@Suite("Figures for graphs")
struct SeriesTests {
  private static let minute: Int64 = 60_000
  /// A full quarter of an hour.
  private static let start: Int64 = 1_900_800_000_000

  private static func reading(_ people: Int = 0, chats: Int = 0, posts: [Int: Int] = [:], mails: Int = 0)
    -> Series.Reading
  {
    var reading = Series.Reading()
    (reading.people, reading.chats, reading.mails) = (people, chats, mails)
    for (bucket, count) in posts { reading.posts[bucket] = count }
    return reading
  }

  @Test(
    "an hour has each full minute: what was counted in it, what there was at its end, and nil where no sample was taken"
  )
  func hour() {
    let series = Series()
    series.add(Self.reading(3, chats: 10), at: Self.start + Self.minute)
    series.add(Self.reading(5, chats: 14, mails: 2), at: Self.start + 2 * Self.minute + 40)
    series.add(Self.reading(4, chats: 20), at: Self.start + 4 * Self.minute)
    let graph = series.graph(60, steps: 1, at: Self.start + 4 * Self.minute + 59_999)
    #expect(graph.from == WireDate.string(Self.start - 56 * Self.minute) && graph.step == 60)
    #expect(graph.people.count == 60 && graph.people.suffix(5) == [nil, 3, 5, nil, 4])
    #expect(graph.chats.suffix(4) == [10, 4, nil, 6])
    #expect(graph.mails.suffix(4) == [0, 2, nil, 0])
    #expect(graph.post.allSatisfy { $0 == nil })
  }

  @Test("a day joins quarters of an hour: sums of what was counted, and the most that there was at a time")
  func day() {
    let series = Series()
    for at in 1...30 {
      series.add(Self.reading(at, chats: at * 2, posts: [3: at]), at: Self.start + Int64(at) * Self.minute)
    }
    let graph = series.graph(96, steps: 15, at: Self.start + 31 * Self.minute)
    #expect(graph.step == 900 && graph.from == WireDate.string(Self.start + 30 * Self.minute - 96 * 15 * Self.minute))
    #expect(graph.people.suffix(3) == [nil, 15, 30] && graph.chats.suffix(3) == [nil, 30, 30])
    #expect(graph.post.last??.isNaN == false)
  }

  @Test("figures of more than a day ago are forgotten")
  func forgotten() {
    let series = Series()
    series.add(Self.reading(7), at: Self.start)
    let later = Self.start + Int64(Series.length) * Self.minute
    #expect(series.graph(96, steps: 15, at: later + 15 * Self.minute).people.allSatisfy { $0 == nil })
    series.add(Self.reading(8), at: later)
    #expect(series.graph(96, steps: 15, at: later).people.last == 8)
    #expect(series.graph(60, steps: 1, at: Self.start).people.allSatisfy { $0 == nil })
  }

  @Test("the slowest hundredth of posts is within its bucket, of five minutes; later ones do not count")
  func percentile() throws {
    let series = Series()
    // 100 posts within 1 ms, then 100 of 25 to 50 ms.
    series.add(Self.reading(posts: [0: 100]), at: Self.start + Self.minute)
    let fast = try #require(series.post(at: Self.start + Self.minute))
    #expect(abs(fast - 0.00099) < 1e-9)
    series.add(Self.reading(posts: [0: 100, 5: 100]), at: Self.start + 2 * Self.minute)
    let slow = try #require(series.post(at: Self.start + 2 * Self.minute))
    #expect(abs(slow - 0.0495) < 1e-9)
    #expect(series.post(at: Self.start + 8 * Self.minute) == nil)
    // More than the greatest bound.
    series.add(Self.reading(posts: [0: 100, 5: 100, 12: 9]), at: Self.start + 9 * Self.minute)
    #expect(series.post(at: Self.start + 9 * Self.minute) == 5)
  }

  @Test("a planned backup is at the next such time of the server's zone")
  func timeOfDay() throws {
    let zone = try #require(TimeZone(identifier: "Asia/Seoul"))
    let three = try #require(TimeOfDay("03:00"))
    // 2026-11-29, midnight in UTC and nine in Seoul.
    let (now, hour): (Int64, Int64) = (1_795_910_400_000, 3_600_000)
    #expect(three.next(after: now, in: zone) == now + 18 * hour)
    #expect(three.next(after: now + 18 * hour, in: zone) == now + 42 * hour)
    #expect(three.text == "03:00")
    for text in ["3:00", "24:00", "03:60", "0300", "03:00:00", "-1:00", "０３:００"] { #expect(TimeOfDay(text) == nil) }
  }
}
