import Foundation
import NIOCore
import SocketIOSupport
import Testing

/// A client that does not read, among many that do. `Scripts/churn` runs it with a thousand clients.
@Suite("A slow consumer", .timeLimit(.minutes(10)))
struct SlowConsumerTests {
  private static func setting(_ name: String, _ standard: Int) -> Int {
    ProcessInfo.processInfo.environment["SOCKETIO_SLOW_\(name)"].flatMap { Int($0) } ?? standard
  }

  private static let clients = setting("CLIENTS", 200)
  /// In each round once beside a client that reads, once beside one that does not.
  private static let rounds = setting("ROUNDS", 1)
  private static let broadcasts = setting("BROADCASTS", 20)

  @Test(
    "a slow consumer is closed at its queue limit, and all others receive everything in order, as fast as without it")
  func isClosed() async throws {
    try await EchoProcess.with(["--mode", "rig", "--bare"]) { process in
      var clients: [FanoutClient] = []
      var channels: [any Channel] = []
      for _ in 0..<Self.clients {
        let (client, channel) = try await FanoutClient.connect(process.port)
        clients.append(client)
        channels.append(channel)
      }
      var crowd = Crowd(process: process, clients: clients, wire: try await Wire.connect(process.port))
      try await crowd.settles()
      for round in 1...Self.rounds {
        let beside = try await crowd.round(beside: .reader, broadcasts: Self.broadcasts)
        let besideSlow = try await crowd.round(beside: .slow, broadcasts: Self.broadcasts)
        print("round \(round), \(Self.clients) clients, \(Self.broadcasts) broadcasts to each:")
        print("  beside a client that reads:        \(Self.distribution(beside))")
        print("  beside one that does not:          \(Self.distribution(besideSlow))")
      }
      for client in clients {
        #expect(client.arrivals.count == crowd.sent && client.disorder == 0)
      }
      crowd.wire.abort()
      for channel in channels { channel.close(promise: nil) }
    }
  }

  private static func distribution(_ latencies: [Duration]) -> String {
    let sorted = latencies.sorted()
    return [("p50", 0.5), ("p90", 0.9), ("p99", 0.99), ("max", 1)].map { name, part in
      let value = sorted[min(sorted.count - 1, Int(Double(sorted.count) * part))]
      return "\(name) \(Int(value / .microseconds(1))) µs"
    }.joined(separator: ", ")
  }
}

/// Clients that all receive the same events.
private struct Crowd {
  enum Neighbour {
    case reader
    case slow
  }

  let process: EchoProcess
  let clients: [FanoutClient]
  let wire: Wire
  /// How many events each client was sent.
  private(set) var sent = 0

  init(process: EchoProcess, clients: [FanoutClient], wire: Wire) {
    self.process = process
    self.clients = clients
    self.wire = wire
  }

  /// Waits until the server has these clients, and `more`.
  func settles(more: Int = 0) async throws {
    let count = clients.count + more
    let stats = try await process.stats { $0.sockets == count }
    try #require(stats.sockets == count)
  }

  /// Broadcasts while another client gets large events, until that client is closed if it does not read them. Returns the time from each
  /// broadcast to each of its arrivals.
  mutating func round(beside neighbour: Neighbour, broadcasts: Int) async throws -> [Duration] {
    let (_, channel) = try await FanoutClient.connect(process.port, joining: "large", receiveBuffer: 4096)
    try await settles(more: 1)
    if neighbour == .slow { try await channel.setOption(.autoRead, value: false).get() }
    let first = sent
    var starts: [ContinuousClock.Instant] = []
    for _ in 0..<broadcasts {
      // Before the broadcast, to measure what the large event costs the others.
      try await emitLarge()
      starts.append(.now)
      try await emit("tick", Array("\(sent)".utf8))
      sent += 1
      try await everybodyHasAll()
    }
    switch neighbour {
    case .reader: channel.close(promise: nil)
    case .slow:
      // The server's limit of 2 MiB and the kernel's buffers of both sides are far below 100 MB.
      var extra = 0
      while try await process.stats().sockets > clients.count, extra < 1000 {
        try await emitLarge()
        extra += 1
      }
    }
    try await settles()
    channel.close(promise: nil)
    return clients.flatMap { client in zip(client.arrivals[first...], starts).map { $1.duration(to: $0) } }
  }

  private static let largeEvent = Array("\"\(String(repeating: "x", count: 100_000))\"".utf8)

  private func emitLarge() async throws {
    try await emit("large", Self.largeEvent, room: "large")
  }

  private func emit(_ event: String, _ body: [UInt8], room: String? = nil) async throws {
    let target = "/emit?nsp=/bench&event=\(event)\(room.map { "&room=\($0)" } ?? "")"
    let answer = try await wire.request("POST", target, body: body)
    #expect(answer.status == 200)
  }

  private func everybodyHasAll() async throws {
    let deadline = ContinuousClock.now + .seconds(60)
    for client in clients {
      while client.arrivals.count < sent {
        try #require(ContinuousClock.now < deadline, "an event did not arrive")
        try await Task.sleep(for: .milliseconds(1))
      }
    }
  }
}
