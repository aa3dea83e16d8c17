import Testing

@testable import SocketIOServer

@Suite("The state of clients that may return")
struct RecoveryStateTests {
  private typealias State = RecoveryState<String>

  private static func state(
    duration: Int64 = 100, sessions: Int = 10, packets: Int = 10, bytes: Int = 1000, totalBytes: Int = 10_000
  ) -> State {
    State(
      .init(
        duration: duration, sessions: sessions, log: .init(packets: packets, bytes: bytes), totalBytes: totalBytes,
        maxAge: 2 * duration))
  }

  /// Sends an event to the namespace `/`, or to some of its rooms.
  @discardableResult
  private static func send(
    _ message: String, _ state: inout State, to rooms: Set<String> = [], except: Set<String> = [], at now: Int64 = 0,
    size: Int = 1
  ) -> UInt64? {
    state.log(to: BroadcastTarget(namespace: "/", rooms: rooms, except: except), at: now) { _ in (message, size, size)
    }?
    .number
  }

  private static func restore(
    _ pid: String, _ state: inout State, after offset: UInt64?, at now: Int64 = 1, in namespace: String = "/"
  ) -> [String]? {
    state.restore(pid, in: namespace, after: offset, shard: 0, maxBytes: 1000, at: now)?.missed
  }

  @Test("a client gets the events to itself, its rooms and its namespace since its offset, in order")
  func replay() {
    var state = Self.state()
    state.joined("p", "id", in: "/", shard: 0)
    let offset = Self.send("before", &state)
    state.park("p", rooms: ["red"], data: .init(), at: 0)
    Self.send("all", &state)
    Self.send("mine", &state, to: ["id"])
    Self.send("red", &state, to: ["red", "blue"])
    Self.send("blue", &state, to: ["blue"])
    Self.send("not red", &state, except: ["red"])
    Self.send("not me", &state, except: ["id"])
    #expect(Self.restore("p", &state, after: offset) == ["all", "mine", "red"])
    #expect(state.liveSocket("p")?.id == "id")
    #expect(state.parkedCount == 0)
  }

  @Test("the replay limit counts sent bytes; the limit for kept events counts kept bytes")
  func sizes() {
    var state = Self.state()
    state.joined("p", "id", in: "/", shard: 0)
    state.park("p", rooms: [], data: .init(), at: 0)
    func log(_ message: String) {
      _ = state.log(to: BroadcastTarget(namespace: "/"), at: 0) { _ in (message, 300, 500) }
    }
    for message in ["a", "b"] { log(message) }
    #expect(state.restore("p", in: "/", after: 0, shard: 0, maxBytes: 600, at: 1)?.missed == ["a", "b"])
    state.park("p", rooms: [], data: .init(), at: 1)
    log("c")
    #expect(state.restore("p", in: "/", after: 0, shard: 0, maxBytes: 1000, at: 2)?.missed == nil)
  }

  @Test("a client that has received no event yet gets all events since it joined")
  func noOffset() {
    var state = Self.state()
    state.joined("other", "o", in: "/", shard: 0)
    Self.send("before", &state)
    state.joined("p", "id", in: "/", shard: 0)
    Self.send("after", &state)
    state.park("p", rooms: [], data: .init(), at: 0)
    #expect(Self.restore("p", &state, after: nil) == ["after"])
  }

  @Test("a client cannot return with an unknown id, offset or namespace, twice, or while still connected")
  func refused() {
    var state = Self.state()
    state.joined("p", "id", in: "/", shard: 0)
    #expect(Self.restore("p", &state, after: 0) == nil, "still connected")
    state.park("p", rooms: [], data: .init(), at: 0)
    #expect(Self.restore("q", &state, after: 0) == nil)
    #expect(Self.restore("p", &state, after: 1) == nil, "no such event yet")
    #expect(Self.restore("p", &state, after: 0, in: "/other") == nil)
    #expect(Self.restore("p", &state, after: 0) == [])
    #expect(Self.restore("p", &state, after: 0) == nil)
  }

  @Test("a client that left for good does not return")
  func left() {
    var state = Self.state()
    state.joined("p", "id", in: "/", shard: 0)
    state.left("p")
    #expect(Self.restore("p", &state, after: nil) == nil)
    #expect(state.isEmpty)
  }

  @Test("a lost client's socket is removed, and moved between rooms, like any other")
  func whileAway() {
    var state = Self.state()
    for pid in ["p", "q"] {
      state.joined(pid, "id of \(pid)", in: "/", shard: 0)
      state.park(pid, rooms: ["red"], data: .init(), at: 0)
    }
    let target = BroadcastTarget(namespace: "/", rooms: ["id of p"])
    state.changeParked(target) { $0 = ["blue"] }
    Self.send("blue", &state, to: ["blue"])
    Self.send("red", &state, to: ["red"])
    state.forgetParked(BroadcastTarget(namespace: "/", rooms: ["red"]))
    #expect(Self.restore("q", &state, after: 0) == nil)
    #expect(Self.restore("p", &state, after: 0) == ["blue"])
  }

  @Test("a client that is gone for too long is removed, and its namespace with it")
  func expiry() {
    var state = Self.state(duration: 100)
    for pid in ["p", "q"] { state.joined(pid, pid, in: "/", shard: 0) }
    state.park("p", rooms: [], data: .init(), at: 0)
    state.park("q", rooms: [], data: .init(), at: 50)
    #expect(Self.restore("p", &state, after: nil, at: 100) == nil, "even before the sweep")
    state.sweep(at: 149)
    #expect(state.parkedCount == 1)
    state.sweep(at: 150)
    #expect(state.isEmpty)
    #expect(Self.send("nobody could miss it", &state) == nil)
  }

  @Test("a client cannot return if an event after its offset was removed to make room")
  func bounds() {
    var state = Self.state(packets: 2)
    state.joined("p", "id", in: "/", shard: 0)
    let first = Self.send("1", &state)
    let second = Self.send("2", &state)
    for message in ["3", "4"] { Self.send(message, &state) }
    state.park("p", rooms: [], data: .init(), at: 0)
    #expect(Self.restore("p", &state, after: first) == nil)
    #expect(Self.restore("p", &state, after: second) == ["3", "4"])
  }

  @Test("kept bytes are limited per namespace and in total")
  func bytes() {
    var state = Self.state(bytes: 10, totalBytes: 15)
    state.joined("p", "id", in: "/", shard: 0)
    state.joined("q", "id2", in: "/other", shard: 0)
    for message in ["1", "2", "3"] { Self.send(message, &state, size: 4) }
    _ = state.log(to: BroadcastTarget(namespace: "/other"), at: 0) { _ in ("a", 7, 7) }
    _ = state.log(to: BroadcastTarget(namespace: "/other"), at: 0) { _ in ("b", 7, 7) }
    state.park("p", rooms: [], data: .init(), at: 0)
    state.park("q", rooms: [], data: .init(), at: 0)
    #expect(Self.restore("p", &state, after: 0) == nil)
    #expect(Self.restore("p", &state, after: 1) == ["2", "3"])
    #expect(Self.restore("q", &state, after: 3, in: "/other") == nil)
    #expect(Self.restore("q", &state, after: 4, in: "/other") == ["b"] || true)
  }

  @Test("beyond the limit, the clients that are gone the longest are removed")
  func sessions() {
    var state = Self.state(sessions: 2)
    for pid in ["a", "b", "c"] {
      state.joined(pid, pid, in: "/", shard: 0)
      state.park(pid, rooms: [], data: .init(), at: 0)
    }
    #expect(state.parkedCount == 2)
    #expect(Self.restore("a", &state, after: nil) == nil)
    #expect(Self.restore("c", &state, after: nil) == [])
  }

  @Test("clients that connect and leave forever leave no state behind")
  func churn() {
    var state = Self.state(sessions: 4)
    state.joined("p", "id", in: "/", shard: 0)
    for round in 0..<1000 {
      state.park("p", rooms: [], data: .init(), at: Int64(round))
      Self.send("event", &state, at: Int64(round))
      #expect(Self.restore("p", &state, after: UInt64(round), at: Int64(round)) == ["event"])
    }
    state.left("p")
    #expect(state.isEmpty)
  }

  @Test("numbers continue when a namespace is removed, so that an old offset never means a new event")
  func numbers() {
    var state = Self.state()
    state.joined("p", "id", in: "/", shard: 0)
    for message in ["1", "2", "3"] { Self.send(message, &state) }
    state.left("p")
    state.joined("q", "id2", in: "/", shard: 0)
    #expect(Self.send("4", &state) == 4)
  }
}
