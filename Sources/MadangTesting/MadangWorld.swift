import Foundation
import Logging
import MadangAPI
import MadangClient
import MadangCore
import MadangDevelopment
import MadangServer

/// A separate server for a test, in this process, on a free port of 127.0.0.1, with its own people, rooms, files, clock and limits. Tests
/// with their own worlds run in parallel.
///
/// In a test, ``Madang/world`` is the world that `.madang(...)` made. Elsewhere use ``with(_:number:port:settings:_:)``, or ``init(_:number:port:settings:)``
/// and ``end()``.
public final class MadangWorld: Sendable {
  private let world: World
  private let worlds: Worlds

  /// The worlds of this process share their threads and the prepared initial states of seeds.
  private static let shared: Result<Worlds, any Error> = Result {
    let worlds = try Worlds(logger: quiet)
    // Otherwise prepared seeds would take memory until another process creates worlds.
    atexit { try? MadangWorld.shared.get().removeFiles() }
    return worlds
  }
  private static let quiet: Logger = {
    var logger = Logger(label: "madang.testing")
    logger.logLevel = .critical
    return logger
  }()

  /// Creates a world. It accepts connections when this returns. End it with ``end()``.
  ///
  /// - Parameters:
  ///   - seed: The initial content.
  ///   - number: With a number, all ids, tokens and file names are the same in each run, and the clock stands still until it is moved. With
  ///     nil, ids are random and the clock shows the time of day.
  ///   - port: 0 picks a free port.
  ///   - settings: Settings of the server by name, as docs/reference/settings.md lists them: `["socket.ping.interval": "1s"]`.
  /// - Throws: ``MadangTestingError``.
  public init(
    _ seed: MadangSeed = .courtyard, number: UInt64? = nil, port: Int = 0, settings: [String: String] = [:]
  ) async throws {
    var plan = WorldPlan(seed: try seed.read())
    (plan.number, plan.port, plan.settings) = (number, port, WorldSettings(settings))
    let made = plan
    (worlds, world) = try await MadangTestingError.wording {
      let worlds = try Self.shared.get()
      return (worlds, try await worlds.make(made))
    }
  }

  /// Runs `body` with a new world, which ends when `body` returns or throws.
  public static func with<Outcome>(
    _ seed: MadangSeed = .courtyard, number: UInt64? = nil, port: Int = 0, settings: [String: String] = [:],
    isolation: isolated (any Actor)? = #isolation, _ body: (MadangWorld) async throws -> Outcome
  ) async throws -> Outcome {
    let world = try await MadangWorld(seed, number: number, port: port, settings: settings)
    let outcome: Result<Outcome, any Error>
    do { outcome = .success(try await body(world)) } catch { outcome = .failure(error) }
    await world.end()
    return try outcome.get()
  }

  /// Stops the server and removes all its data.
  ///
  /// With `MADANG_TEST_COVERAGE` in the environment, the coverage is written into a file of that directory.
  public func end() async {
    keepCoverage()
    _ = await worlds.remove(world.id)
  }

  /// The server's origin, such as `http://127.0.0.1:49152`.
  public var url: String { world.url }
  public var port: Int { world.port }

  /// The `SesacKey` of clients of edition 2024-10.
  public static let apiKey = DevelopmentKey.october2024
  /// The `SesacKey` of clients of edition 2024-01.
  public static let january2024Key = DevelopmentKey.january2024

  var kit: TestKit { world.kit }

  public var clock: MadangClock { MadangClock(clock: world.clock) }

  /// The faults of this world.
  public var faults: MadangFaults { MadangFaults(faults: kit.faults, people: kit.people, outage: kit.outage) }

  /// A person of the world, who acts without signing in.
  /// - Parameter name: The e-mail, or the part before its `@`.
  public func person(_ name: String) -> MadangPerson { MadangPerson(name: name, people: kit.people, origin: url) }

  /// All accounts in the order in which they signed up: 1000 at most.
  /// - Parameter number: Only accounts with a higher ``MadangAccount/number``.
  /// - Throws: ``MadangTestingError``.
  public func people(after number: Int64 = 0) async throws -> [MadangAccount] {
    try await MadangTestingError.wording {
      try await kit.people.list(after: number, limit: 1000).map {
        MadangAccount(email: $0.email, number: $0.number, id: $0.id, nickname: $0.nickname, workspaces: $0.workspaces)
      }
    }
  }

  /// Closes all connections and sockets at once, without notice, and accepts none for this long. Data stays.
  /// - Parameter time: In real time, 60 seconds at most.
  public func restart(downFor time: Duration) async { await faults.restart(downFor: time) }

  /// Closes all connections and sockets as ``restart(downFor:)-(Duration)`` does, for a length of time such as `"2s"`.
  /// - Throws: ``MadangTestingError`` for text in a wrong notation, or for more than 60 seconds.
  public func restart(downFor time: String) async throws { try await faults.restart(downFor: time) }

  /// The open sockets of this world.
  public var sockets: MadangSockets { MadangSockets(sockets: kit.sockets) }

  /// The scripts of this world: what people do by themselves.
  public var scripts: MadangScripts { MadangScripts(scripts: kit.scripts) }

  /// The record of everything that happened at its server.
  public var journal: MadangJournal { MadangJournal(journal: kit.journal, people: kit.people, origin: url) }

  /// The current content as a seed in YAML.
  public func exportSeed() async throws -> String {
    var text: [UInt8] = []
    try await MadangTestingError.wording { try await world.exportSeed { text += $0 } }
    return String(decoding: text, as: UTF8.self)
  }

  /// Returns to the initial state: people, chats, files, clock and ids. All sockets are closed, scripts restart, and the journal is
  /// emptied. Faults stay.
  /// - Parameter limit: How long running calls may take before their connections are closed: in real time, 60 seconds at most.
  /// - Throws: ``MadangTestingError``.
  public func reset(within limit: MadangTime = .seconds(2)) async throws {
    try await MadangTestingError.wording {
      try await world.reset(within: try limit.duration(of: "within", limit: World.longestCallLimit))
    }
  }

  /// Saves the current state under a name, and replaces an earlier snapshot of that name.
  /// - Throws: ``MadangTestingError``.
  public func snapshot(_ name: String) async throws {
    try await MadangTestingError.wording { try await world.snapshot(name) }
  }

  /// The names of the snapshots that are kept.
  public var snapshots: [String] { world.snapshots }

  /// Removes a snapshot.
  /// - Throws: ``MadangTestingError`` if there is no snapshot of this name.
  public func removeSnapshot(_ name: String) throws {
    try MadangTestingError.wording { try world.removeSnapshot(name) }
  }

  /// Returns to a snapshot; ``reset(within:)`` explains the parameter.
  /// - Throws: ``MadangTestingError`` if there is no snapshot of this name.
  public func restore(
    _ name: String, within limit: MadangTime = .seconds(2)
  ) async throws {
    try await MadangTestingError.wording {
      try await world.restore(name, within: try limit.duration(of: "within", limit: World.longestCallLimit))
    }
  }

  /// Creates a client of edition 2024-10 that is not signed in. Its connections end when it is closed or no longer used.
  /// - Parameter store: Where the client keeps its session.
  public func makeClient(store: SessionStore = .inMemory) -> MadangClient {
    MadangClient(configuration: .init(server: url, apiKey: Self.apiKey), store: store)
  }

  /// Creates a client and signs in.
  /// - Parameter account: An e-mail, or the part before its `@`.
  /// - Throws: ``MadangTestingError`` if no account, or several, begin so; `MadangError` if the server refuses the call.
  public func signIn(_ account: String, password: String = "Passw0rd!") async throws -> MadangClient {
    let email =
      account.contains("@")
      ? account : try await MadangTestingError.wording { try await kit.people.person(account).email }
    let client = makeClient()
    try await client.signIn(email: email, password: password)
    return client
  }
}
