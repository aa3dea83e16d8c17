import Foundation
import MadangAPI
import MadangClient
import Storage
import Support
import Synchronization
import Testing

@Suite("Killed servers", .serialized)
struct KillTests {
  @Test(
    "kill -9 amid posting, 20 times: every chat that was answered is there once, in order", .timeLimit(.minutes(10)),
    arguments: TestEngine.available)
  func acknowledgedChatsSurvive(_ engine: TestEngine) async throws {
    try await withEngine(engine) { (place: DatabaseConfiguration.Engine) async throws -> Void in
      let folder = FileManager.default.temporaryDirectory.appending(path: "madang-kill-\(UUID().uuidString)")
      defer { try? FileManager.default.removeItem(at: folder) }
      var arguments = ["serve", "--dev", "--port", "0", "--data", folder.path]
      if case .postgres(let url) = place { arguments += ["--database-url", url] }
      let posted = Posted()
      let room = try await Self.withServer(arguments) { (server, client) async throws -> RoomAddress in
        try await client.signUp(email: "mina@example.com", password: "Passw0rd!", nickname: "Mina")
        let workspace = try await client.createWorkspace(name: "Weekend").workspaceID
        let channel = try await client.createChannel(name: "busy", in: workspace).channelID
        server.signal(SIGTERM)
        return .channel(id: channel, workspace: workspace)
      }
      for round in 0..<20 {
        try await Self.withServer(arguments) { (server, client) async throws -> Void in
          try await client.signIn(email: "mina@example.com", password: "Passw0rd!")
          await posted.fill(room, through: client, until: 15 + round) { server.signal(SIGKILL) }
        }
      }
      try await Self.withServer(arguments) { (server, client) async throws -> Void in
        try await client.signIn(email: "mina@example.com", password: "Passw0rd!")
        try await Self.check(posted, against: client, room)
        server.signal(SIGTERM)
      }
    }
  }

  /// Starts a server on the same data, runs `body`, which must end the server, and waits for its end.
  private static func withServer<Result>(
    _ arguments: [String], _ body: (Program, MadangClient) async throws -> Result
  ) async throws -> Result {
    let server = try Program(
      "madang", arguments,
      environment: TestServer.cheapPasswords.merging(["MADANG_LIMITS_REQUESTS": "0"]) { $1 })
    let ready = "madang listening on "
    let url = String(try await server.output.next(beginning: ready).dropFirst(ready.count))
    let client = MadangClient(
      configuration: .init(server: url, apiKey: DevelopmentKey.october2024), store: .inMemory)
    do {
      let result = try await body(server, client)
      try await client.close()
      _ = await server.status()
      return result
    } catch {
      try? await client.close()
      throw error
    }
  }

  private static func check(_ posted: Posted, against client: MadangClient, _ room: RoomAddress) async throws {
    let history = try await client.history(of: room)
    let contents = history.map(\.content)
    let counts = contents.reduce(into: [:]) { $0[$1, default: 0] += 1 }
    #expect(counts.values.allSatisfy { $0 == 1 })
    #expect(posted.acknowledged.allSatisfy { counts[$0] == 1 })
    #expect(posted.acknowledged.count >= 20 * 15)
    #expect(Set(contents).isSubset(of: posted.attempted))
    let dates = history.map(\.createdAt)
    #expect(zip(dates, dates.dropFirst()).allSatisfy { $0 < $1 })
  }
}

/// The chats that eight writers tried to post, and the ones that were answered.
private final class Posted: Sendable {
  private struct State {
    var attempted: Set<String> = []
    var acknowledged: Set<String> = []
    var inRound = 0
  }

  private let state = Mutex(State())
  var attempted: Set<String> { state.withLock(\.attempted) }
  var acknowledged: Set<String> { state.withLock(\.acknowledged) }

  /// Posts until the server is gone; calls `kill` when `count` posts were answered.
  func fill(_ room: RoomAddress, through client: MadangClient, until count: Int, kill: @escaping @Sendable () -> Void)
    async
  {
    state.withLock { $0.inRound = 0 }
    await withTaskGroup(of: Void.self) { group in
      for _ in 0..<8 {
        group.addTask { [self] in
          while true {
            let text = UUID().uuidString
            state.withLock { _ = $0.attempted.insert(text) }
            guard (try? await client.post(text, to: room)) != nil else { return }
            let isDue = state.withLock { state in
              state.acknowledged.insert(text)
              state.inRound += 1
              return state.inRound == count
            }
            if isDue { kill() }
          }
        }
      }
    }
  }
}
