import Testing

@testable import SocketIOPostgres

@Suite("The outbox for PostgreSQL")
struct OutboxTests {
  private static func item(_ size: Int) -> Outbox.Item {
    .init(channel: "c", message: Array(repeating: 7, count: size))
  }

  private static func outbox() -> Outbox { Outbox(maxBytes: 100, maxItems: 3, maxAge: .seconds(10)) }

  @Test("the outbox is limited in messages and in bytes, and has room again after sending")
  func bounds() {
    let outbox = Self.outbox()
    #expect([60, 41, 40].map { outbox.put(Self.item($0)) } == [0, 1, 0])
    #expect(outbox.take { _, _ in true }.items.map(\.message.count) == [60, 40])
    #expect((0..<4).map { _ in outbox.put(Self.item(1)) } == [0, 0, 0, 1])
    #expect(outbox.take { _, _ in false }.items.count == 1)
    #expect(outbox.put(Self.item(1)) == 0)
  }

  @Test("messages that waited too long are dropped, and make room for new ones")
  func age() {
    let outbox = Self.outbox()
    let start = ContinuousClock.now
    for seconds in 0..<3 { #expect(outbox.put(Self.item(seconds), at: start + .seconds(seconds)) == 0) }
    #expect(outbox.put(Self.item(9), at: start + .seconds(9)) == 1)
    #expect(outbox.put(Self.item(10), at: start + .milliseconds(11_500)) == 2)
    let (items, dropped) = outbox.take(at: start + .milliseconds(12_500)) { _, _ in true }
    #expect(items.map(\.message.count) == [10])
    #expect(dropped == 1)
  }

  @Test("a closed outbox accepts nothing, and keeps earlier messages")
  func closed() {
    let outbox = Self.outbox()
    #expect(outbox.put(Self.item(1)) == 0)
    outbox.close()
    #expect(outbox.put(Self.item(1)) == 0)
    #expect(outbox.take { _, _ in true }.items.count == 1)
  }

  @Test("payloads decode to their messages, and are short enough for NOTIFY")
  func payloads() {
    for size in 0..<6_000 where NotificationPayload.fits(Array(repeating: 0, count: size)) {
      guard size % 97 == 0 || size > 5_500 else { continue }
      let message = (0..<size).map { UInt8(truncatingIfNeeded: $0) }
      let text = NotificationPayload.text(for: message, number: .max)
      #expect(text.count <= NotificationPayload.maxLength)
      #expect(NotificationPayload(text) == .message(message))
    }
    #expect(!NotificationPayload.fits(Array(repeating: 0, count: 6_000)))
    #expect(NotificationPayload(Array("a12".utf8)) == .attachment(id: 12))
  }
}
