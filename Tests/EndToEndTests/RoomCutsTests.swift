import Foundation
import MadangAPI
import MadangClient
import NIOCore
import Synchronization
import Testing

@Suite("Rooms on bad networks", .serialized)
struct RoomCutsTests {
  @Test(
    "20 rooms through 200 cuts while others post: each ends equal to the server's history, what they send is there once",
    .timeLimit(.minutes(10)))
  func cuts() async throws {
    let (rooms, cuts, sendsPerRoom) = (20, 200, 8)
    let settings = [
      "MADANG_LIMITS_REQUESTS": "0", "MADANG_LIMITS_REFRESHES": "0", "MADANG_SOCKET_PING_INTERVAL": "1",
      "MADANG_SOCKET_PING_TIMEOUT": "3",
    ]
    try await TestServer.run(environment: settings) { server in
      let place = try await CourtyardOfChannels.make(on: server, channels: 4)
      var devices: [Device] = []
      for number in 0..<rooms { devices.append(try await Device.make(number, in: place, on: server)) }
      // Another run of the dice: MADANG_TEST_SEED=1 swift test --filter RoomCutsTests
      let seed = ProcessInfo.processInfo.environment["MADANG_TEST_SEED"].flatMap { UInt64($0) } ?? 20_241_213
      let trouble = Trouble(server, devices, seed: seed)
      let quiet = Quiet()
      let (done, signal) = AsyncStream.makeStream(of: Void.self)

      try await withThrowingTaskGroup(of: Void.self) { group in
        defer { group.cancelAll() }
        for device in devices { group.addTask { try await device.live(sending: sendsPerRoom, done: signal) } }
        try await withThrowingTaskGroup(of: Void.self) { posters in
          for channel in place.channels {
            posters.addTask { await place.post(to: channel, until: quiet) }
          }
          try await trouble.cause(cuts)
          quiet.begin()
          try await posters.waitForAll()
        }
        var waiting = devices.count
        for await _ in done {
          waiting -= 1
          if waiting == 0 { break }
        }
        for channel in place.channels { try await place.owner.post(Device.end, to: channel) }
        try await group.waitForAll()
      }
      try await place.owner.close()
      let last = trouble.server.withLock(\.self)
      last.program.signal(SIGTERM)
      #expect(await last.program.status() == 0)
    }
  }
}

/// Ends the talk.
private final class Quiet: Sendable {
  private let state = Mutex(false)
  var hasBegun: Bool { state.withLock(\.self) }
  func begin() { state.withLock { $0 = true } }
}

/// A workspace with channels in which its owner talks without pause, on a good network.
private struct CourtyardOfChannels: Sendable {
  let owner: MadangClient
  let workspace: String
  let channels: [RoomAddress]

  static func make(on server: TestServer, channels: Int) async throws -> Self {
    let owner = server.client()
    try await owner.signUp(email: "owner@example.com", password: "Passw0rd!", nickname: "Owner")
    let workspace = try await owner.createWorkspace(name: "Courtyard").workspaceID
    var addresses: [RoomAddress] = []
    for number in 0..<channels {
      let id = try await owner.createChannel(name: "channel \(number)", in: workspace).channelID
      addresses.append(.channel(id: id, workspace: workspace))
    }
    return Self(owner: owner, workspace: workspace, channels: addresses)
  }

  /// Posts until it is over; while the server is away, into the void.
  func post(to channel: RoomAddress, until quiet: Quiet) async {
    var number = 0
    while !quiet.hasBegun, !Task.isCancelled {
      number += 1
      _ = try? await owner.post("talk \(number)", to: channel)
      try? await Task.sleep(for: .milliseconds(.random(in: 30...150)))
    }
  }
}

/// Somebody's device with one room, on a network of its own.
private final class Device: Sendable {
  /// The last chat of every channel.
  static let end = "the end"

  let number: Int
  let proxy: Proxy
  private let client: MadangClient
  private let owner: MadangClient
  private let room: Room
  private let run = Mutex<Task<Void, any Error>?>(nil)

  private init(_ number: Int, _ proxy: Proxy, _ client: MadangClient, _ owner: MadangClient, _ room: Room) {
    (self.number, self.proxy, self.client, self.owner, self.room) = (number, proxy, client, owner, room)
  }

  static func make(_ number: Int, in place: CourtyardOfChannels, on server: TestServer) async throws -> Device {
    let proxy = try await Proxy.start(to: server.port)
    var configuration = MadangClient.Configuration(server: proxy.url, apiKey: DevelopmentKey.october2024)
    configuration.callTimeout = .seconds(5)
    configuration.roomPage = 20
    let client = MadangClient(configuration: configuration)
    let email = "person\(number)@example.com"
    let login = try await client.signUp(email: email, password: "Passw0rd!", nickname: "Person \(number)")
    _ = try await place.owner.invite(email, to: place.workspace)
    let store = try LocalStore(
      folder: server.folder.appending(path: "stores"), server: server.url, account: login.userID)
    let channel = place.channels[number % place.channels.count]
    let room = try await Room(channel, client: client, store: store)
    return Device(number, proxy, client, place.owner, room)
  }

  /// Reads and sends until the end of the channel, then compares with the server.
  /// - Parameter done: Told when all that was sent has appeared.
  func live(sending count: Int, done: AsyncStream<Void>.Continuation) async throws {
    resume()
    var screen = RoomScreen(room)
    async let sending: Void = send(count)
    let last = text(count - 1)
    try await screen.wait { $0.counts[last] != nil && $0.pending.isEmpty }
    try await sending
    done.yield()
    try await screen.wait { $0.counts[Self.end] != nil }
    try await background()
    let history = try await owner.history(of: room.address)
    #expect(screen.chats.map(\.id) == history.map(\.id), "device \(number)")
    for index in 0..<count { #expect(screen.counts[text(index)] == 1, "\(text(index))") }
    try await client.close()
    await proxy.stop()
  }

  private func text(_ index: Int) -> String { "device \(number), chat \(index)" }

  private func send(_ count: Int) async throws {
    for index in 0..<count {
      try await room.send(text(index))
      try await Task.sleep(for: .milliseconds(.random(in: 200...3000)))
    }
  }

  /// The app goes to the background.
  func background() async throws {
    let running = run.withLock { run in
      defer { run = nil }
      return run
    }
    running?.cancel()
    try await running?.value
  }

  /// The app comes back.
  func resume() {
    run.withLock { run in
      if run == nil { run = Task { [room] in try await room.run() } }
    }
  }
}

/// What goes wrong, chosen by a seeded chance.
private final class Trouble: Sendable {
  /// The server that runs now.
  let server: Mutex<TestServer>
  private let devices: [Device]
  private let seed: UInt64

  init(_ server: TestServer, _ devices: [Device], seed: UInt64) {
    self.server = Mutex(server)
    self.devices = devices
    self.seed = seed
  }

  func cause(_ count: Int) async throws {
    var chance = SeededChance(state: seed)
    try await withThrowingTaskGroup(of: Void.self) { group in
      for number in 1...count {
        let device = devices[Int.random(in: 0..<devices.count, using: &chance)]
        let pause = Duration.milliseconds(.random(in: 20...150, using: &chance))
        let long = Duration.milliseconds(.random(in: 500...4500, using: &chance))
        let kind = Int.random(in: 0..<100, using: &chance)
        if number.isMultiple(of: 40) {
          try await restart(politely: number.isMultiple(of: 80))
        } else if number.isMultiple(of: 20) {
          // Once the access tokens' lifetime, and altogether less than the refresh tokens'.
          try await server.withLock(\.self).advanceClock(seconds: 25 * 3600)
        } else {
          switch kind {
          case 0..<35: device.proxy.cut()
          case 35..<55: device.proxy.forget()
          case 55..<65: device.proxy.loseAnswers()
          case 65..<80:
            device.proxy.sleep()
            group.addTask {
              try await Task.sleep(for: long)
              device.proxy.wake()
            }
          default:
            try await device.background()
            group.addTask {
              try await Task.sleep(for: long / 10)
              device.resume()
            }
          }
        }
        try await Task.sleep(for: pause)
      }
      try await group.waitForAll()
    }
  }

  private func restart(politely: Bool) async throws {
    let old = server.withLock(\.self)
    old.program.signal(politely ? SIGTERM : SIGKILL)
    _ = await old.program.status()
    let new = try await old.restarted()
    server.withLock { $0 = new }
  }
}

/// SplitMix64.
private struct SeededChance: RandomNumberGenerator {
  var state: UInt64

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var z = state
    z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
    return z ^ (z >> 31)
  }
}
