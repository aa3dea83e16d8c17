import MadangCore
import Testing

@testable import MadangServer

@Suite("Log of changes", .timeLimit(.minutes(5)))
struct ChangeLogTests {
  private static func read(_ numbers: Int64...) -> [LoggedChange] {
    numbers.map { LoggedChange(number: $0, change: .sessionEnded($0)) }
  }

  @Test("each change after the start is read once, changes before it never")
  func once() {
    var log = ChangeLog(after: [3, 2, 1], now: 0)
    let first = log.new(Self.read(3, 4, 5), now: 0)
    #expect(first == [.sessionEnded(4), .sessionEnded(5)])
    let second = log.new(Self.read(4, 5), now: 0)
    #expect(second.isEmpty)
    #expect(log.highest == 5 && log.missing.isEmpty)
  }

  @Test("a change that commits late is found after later ones")
  func late() {
    var log = ChangeLog(after: [10, 8], now: 0)
    let isNew = log.isNew(13, now: 0)
    #expect(isNew)
    #expect(Set(log.missing) == [9, 11, 12])
    let late = log.new(Self.read(9, 11), now: 1000)
    #expect(late == [.sessionEnded(9), .sessionEnded(11)])
    #expect(log.missing == [12])
    _ = log.new([], now: ChangeLog.patience)
    #expect(log.missing.isEmpty)
  }

  @Test("a jump of change numbers does not cost more look-ups than the limit")
  func jumps() {
    var log = ChangeLog(after: [], now: 0)
    _ = log.isNew(1_000_000_000, now: 0)
    #expect(log.missing.count == 1000)
  }
}
