import Foundation
import MadangAPI
import MadangClient
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
      for number in 0..<rooms {
        devices.append(try await Device.start(number, sending: sendsPerRoom, in: place, on: server))
      }
      // To repeat with another seed: MADANG_TEST_SEED=1 swift test --filter RoomCutsTests
      let seed = ProcessInfo.processInfo.environment["MADANG_TEST_SEED"].flatMap { UInt64($0) } ?? 20_241_213
      let trouble = Trouble(server, devices, seed: seed)
      let quiet = Quiet()
      try await withThrowingTaskGroup(of: Void.self) { posters in
        for channel in place.channels {
          posters.addTask { await place.post(to: channel, until: quiet) }
        }
        try await trouble.cause(cuts)
        quiet.begin()
        try await posters.waitForAll()
      }
      for device in devices { try await device.sends() }
      for channel in place.channels { try await place.owner.post(Device.end, to: channel) }
      for device in devices { try await device.ends(sendsPerRoom) }
      try await place.owner.close()
      let last = trouble.server.withLock(\.self)
      last.program.signal(SIGTERM)
      #expect(await last.program.status() == 0)
    }
  }
}

/// Ends the conversation.
private final class Quiet: Sendable {
  private let state = Mutex(false)
  var hasBegun: Bool { state.withLock(\.self) }
  func begin() { state.withLock { $0 = true } }
}

/// A workspace whose owner posts to its channels without pause, on a reliable network.
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

  /// Posts until the conversation ends. While the server is down, posts fail.
  func post(to channel: RoomAddress, until quiet: Quiet) async {
    var number = 0
    while !quiet.hasBegun, !Task.isCancelled {
      number += 1
      _ = try? await owner.post("talk \(number)", to: channel)
      try? await Task.sleep(for: .milliseconds(.random(in: 30...150)))
    }
  }
}

/// A device with one room: a process on a network of its own.
private struct Device {
  /// The last chat in every channel.
  static let end = "the end"

  let number: Int
  let proxy: Proxy
  let program: Program
  private let owner: MadangClient
  private let room: RoomAddress

  static func start(
    _ number: Int, sending count: Int, in place: CourtyardOfChannels, on server: TestServer
  ) async throws -> Device {
    let (email, password) = ("person\(number)@example.com", "Passw0rd!")
    let client = server.client()
    try await client.signUp(email: email, password: password, nickname: "Person \(number)")
    try await client.close()
    _ = try await place.owner.invite(email, to: place.workspace)
    let proxy = try await Proxy.start(to: server.port)
    let room = place.channels[number % place.channels.count]
    let folder = server.folder.appending(path: "devices").appending(path: "\(number)")
    let program = try Program(
      "room-device",
      [proxy.url, email, password, folder.path, place.workspace, room.id, String(number), String(count), end])
    _ = try await program.output.next(beginning: "ready")
    return Device(number: number, proxy: proxy, program: program, owner: place.owner, room: room)
  }

  /// Waits until all sent chats have appeared in the room.
  func sends() async throws { _ = try await line(beginning: "sent") }

  /// Waits for the end of the channel, then compares the device's chats with the server's.
  /// - Parameter count: How many chats the device sent.
  func ends(_ count: Int) async throws {
    let line = try await line(beginning: "[")
    #expect(await program.status() == 0, "device \(number)")
    let seen = try JSONDecoder().decode([String].self, from: Data(line.utf8))
    let history = try await owner.history(of: room)
    #expect(seen == history.map(\.id), "device \(number)")
    for index in 0..<count {
      let text = "device \(number), chat \(index)"
      #expect(history.count { $0.content == text } == 1, "\(text)")
    }
    await proxy.stop()
  }

  private func line(beginning: String) async throws -> String {
    do {
      return try await program.output.next(beginning: beginning)
    } catch {
      Issue.record("device \(number): \(await program.errors.rest())")
      throw error
    }
  }
}

/// Causes faults in a seeded random order.
private final class Trouble: Sendable {
  /// The currently running server.
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
          // Longer than an access token lives, and in total shorter than a refresh token lives.
          try await server.withLock(\.self).advanceClock(seconds: 25 * 3600)
        } else {
          switch kind {
          case 0..<35: device.proxy.cut()
          case 35..<55: device.proxy.forget()
          case 55..<65: device.proxy.loseAnswers()
          case 65..<80:
            // A laptop that is closed and opened again.
            device.program.signal(SIGSTOP)
            group.addTask {
              try await Task.sleep(for: long)
              device.program.signal(SIGCONT)
            }
          default:
            // An app that goes to the background and returns.
            device.program.signal(SIGUSR1)
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
