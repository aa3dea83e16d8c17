import SocketIOProtocol
import SocketIOSupport
import Testing

@testable import SocketIOClient

@Suite("The queues of events to send")
struct QueueTests {
  private static func outgoing(_ number: UInt64) -> Outgoing {
    Outgoing(SocketEvent(name: "e", arguments: .init([json("\(number)")]), id: AckID(number)), in: "/", .json)
  }

  private static func entry(_ number: UInt64) -> RetryQueue.Entry {
    RetryQueue.Entry(id: AckID(number), outgoing: outgoing(number), timeout: .seconds(1))
  }

  @Test("an event is sent after the one before it was acknowledged, or has used up its tries")
  func turns() throws {
    var queue = RetryQueue()
    for number in 0..<3 { try queue.append(Self.entry(UInt64(number)), .init()) }
    #expect(queue.next()?.id == AckID(0))
    #expect(queue.next() == nil, "one at a time")
    #expect(queue.acknowledged(AckID(1)) == false, "it was not sent yet")
    #expect(queue.failed(nil, retries: 1) == nil)
    #expect(queue.acknowledged(AckID(0)) == false, "it is not under way")
    let again = queue.next()
    #expect(again?.id == AckID(0) && again?.tries == 2)
    #expect(queue.failed(AckID(7), retries: 1) == nil, "a time that is over for another event")
    #expect(queue.next() == nil)
    #expect(queue.failed(AckID(0), retries: 1)?.id == AckID(0))
    #expect(queue.next()?.id == AckID(1))
    #expect(queue.acknowledged(AckID(1)) == true)
    #expect(queue.next()?.id == AckID(2))
    queue.remove(AckID(2))
    #expect(queue.next() == nil && !queue.holds(AckID(2)))
  }

  @Test("each event is sent in order, at most once more than retries, and makes room, whichever tries fail")
  func anyFailures() throws {
    var random = SystemRandomNumberGenerator()
    for _ in 0..<200 {
      var limits = SocketIOClient.Configuration()
      limits.maxQueuedEvents = Int.random(in: 1...4, using: &random)
      let retries = Int.random(in: 0...3, using: &random)
      var queue = RetryQueue()
      var made: UInt64 = 0
      var held: [AckID] = []
      var sent: [AckID: Int] = [:]
      var underWay: AckID?
      for _ in 0..<100 {
        switch Int.random(in: 0..<4, using: &random) {
        case 0:
          do {
            try queue.append(Self.entry(made), limits)
            held.append(AckID(made))
            made += 1
          } catch {
            #expect(error == .full(limit: "maxQueuedEvents") && held.count == limits.maxQueuedEvents)
          }
        case 1:
          let next = queue.next()
          #expect(next?.id == (underWay == nil ? held.first : nil))
          guard let next else { continue }
          underWay = next.id
          sent[next.id, default: 0] += 1
          #expect(sent[next.id] == next.tries && next.tries <= retries + 1)
        case 2:
          guard let id = underWay else { continue }
          #expect(queue.acknowledged(id) == true)
          (underWay, held) = (nil, Array(held.dropFirst()))
        default:
          let given = queue.failed(nil, retries: retries)
          guard let id = underWay else {
            #expect(given == nil)
            continue
          }
          #expect((given?.id == id) == (sent[id] == retries + 1))
          underWay = nil
          if given != nil { held.removeFirst() }
        }
      }
      #expect(held.allSatisfy(queue.holds))
    }
  }

  @Test("neither queue keeps more bytes than allowed, and a removed event makes room")
  func bytes() throws {
    var limits = SocketIOClient.Configuration()
    let size = Self.outgoing(0).byteCount
    (limits.maxQueuedBytes, limits.maxOfflineBytes) = (2 * size, 2 * size)
    var queue = RetryQueue()
    var buffer = OfflineBuffer()
    for number in 0..<2 {
      try queue.append(Self.entry(UInt64(number)), limits)
      try buffer.append(Self.outgoing(UInt64(number)), limits)
    }
    #expect(throws: SocketIOError.full(limit: "maxQueuedBytes")) { try queue.append(Self.entry(2), limits) }
    #expect(throws: SocketIOError.full(limit: "maxOfflineBytes")) { try buffer.append(Self.outgoing(2), limits) }
    queue.remove(AckID(0))
    buffer.remove(AckID(0))
    try queue.append(Self.entry(2), limits)
    try buffer.append(Self.outgoing(2), limits)
    #expect(buffer.takeAll().map(\.event.id) == [AckID(1), AckID(2)])
    #expect(buffer.takeAll().isEmpty)
  }
}
