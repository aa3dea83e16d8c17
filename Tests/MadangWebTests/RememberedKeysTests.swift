import Testing

@testable import MadangWeb

@Suite("Remembered keys")
struct RememberedKeysTests {
  private let now = ContinuousClock.now

  private func key(_ account: Int64, _ number: Int) -> AccountKey { AccountKey(account: account, text: "\(number)") }

  @Test("an account that has many keys displaces its own only")
  func shares() {
    var keys = RememberedKeys<Int>()
    let limits = RememberedKeys<Int>.Limits()
    keys.keep(7, key(1, 0), size: 10, at: now)
    for number in 0..<3 * limits.keys { keys.keep(number, key(2, number), size: 10, at: now) }
    #expect(keys[key(1, 0)] == 7)
    #expect(keys.count == 1 + limits.keysOfAccount)
    #expect(keys[key(2, 3 * limits.keys - 1)] == 3 * limits.keys - 1)
  }

  @Test("keys are bounded by number and size, of an account and of all; the oldest are forgotten")
  func bounds() {
    var limits = RememberedKeys<Int>.Limits()
    (limits.keys, limits.size, limits.keysOfAccount, limits.sizeOfAccount) = (6, 60, 4, 30)
    var keys = RememberedKeys<Int>(limits)
    for number in 0..<4 { keys.keep(number, key(1, number), size: 10, at: now) }
    #expect((0..<4).map { keys[key(1, $0)] != nil } == [false, true, true, true], "by size of the account")
    for account in 2...8 { keys.keep(0, key(Int64(account), 0), size: 0, at: now) }
    #expect(keys.count == 6 && keys[key(1, 3)] == nil && keys[key(3, 0)] != nil, "by number of all")
    for account in 3...8 { keys.keep(0, key(Int64(account), 0), size: 20, at: now) }
    #expect(keys.count == 3 && keys[key(6, 0)] != nil, "by size of all")
  }

  @Test("keys are forgotten after a time")
  func memory() {
    var keys = RememberedKeys<Int>()
    keys.keep(1, key(1, 1), size: 0, at: now)
    keys.keep(2, key(1, 2), size: 0, at: now + .seconds(599))
    #expect(keys.count == 2)
    keys.keep(3, key(2, 3), size: 0, at: now + .seconds(601))
    #expect(keys[key(1, 1)] == nil && keys[key(1, 2)] == 2)
  }
}
