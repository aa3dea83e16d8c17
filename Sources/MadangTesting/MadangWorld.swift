import Foundation
import Logging
import MadangAPI
import MadangClient
import MadangDevelopment
import MadangServer

/// A server of its own for a test, in this process, on a free port of 127.0.0.1: people, rooms, files, clock and limits are nobody
/// else's. Tests with worlds of their own run in parallel.
///
/// In a test, ``Madang/world`` is the one that `.madang(...)` made. Elsewhere use ``with(_:number:port:_:)``, or ``init(_:number:port:)``
/// and ``end()``.
public final class MadangWorld: Sendable {
  private let world: World
  private let worlds: Worlds

  /// The worlds of this process share their threads and the states in which seeds begin.
  private static let shared: Result<Worlds, any Error> = Result {
    let worlds = try Worlds(logger: quiet)
    // Else planted seeds would take memory until another process makes worlds.
    atexit { try? MadangWorld.shared.get().removeFiles() }
    return worlds
  }
  private static let quiet: Logger = {
    var logger = Logger(label: "madang.testing")
    logger.logLevel = .critical
    return logger
  }()

  /// Makes a world; it accepts connections when this returns. End it with ``end()``.
  ///
  /// - Parameters:
  ///   - seed: How it begins.
  ///   - number: With a number all ids, tokens and names of files are the same each time, and the clock stands still until it is
  ///     moved. Nil: ids of its own, and the time of day.
  ///   - port: 0 takes a free one.
  /// - Throws: ``MadangTestingError``.
  public init(_ seed: MadangSeed = .courtyard, number: UInt64? = nil, port: Int = 0) async throws {
    var plan = WorldPlan(seed: try seed.read())
    (plan.number, plan.port) = (number, port)
    let made = plan
    (worlds, world) = try await MadangTestingError.wording {
      let worlds = try Self.shared.get()
      return (worlds, try await worlds.make(made))
    }
  }

  /// Runs `body` with a world, which ends with it.
  public static func with<Outcome>(
    _ seed: MadangSeed = .courtyard, number: UInt64? = nil, port: Int = 0,
    isolation: isolated (any Actor)? = #isolation, _ body: (MadangWorld) async throws -> Outcome
  ) async throws -> Outcome {
    let world = try await MadangWorld(seed, number: number, port: port)
    let outcome: Result<Outcome, any Error>
    do { outcome = .success(try await body(world)) } catch { outcome = .failure(error) }
    await world.end()
    return try outcome.get()
  }

  /// Stops the server and removes all that it has.
  ///
  /// With `MADANG_TEST_COVERAGE` in the environment, what of the contract was touched is written into a file of that directory.
  public func end() async {
    keepCoverage()
    _ = await worlds.remove(world.id)
  }

  /// The server's origin, such as `http://127.0.0.1:49152`.
  public var url: String { world.url }
  public var port: Int { world.port }

  /// The `SesacKey` with which clients of edition 2024-10 call it.
  public static let apiKey = DevelopmentKey.october2024
  /// The same for clients of edition 2024-01.
  public static let january2024Key = DevelopmentKey.january2024

  var kit: Kit { world.kit }

  /// Its time.
  public var clock: MadangClock { MadangClock(clock: world.clock) }

  /// What goes wrong in it.
  public var faults: MadangFaults { MadangFaults(faults: kit.faults, people: kit.people, outage: kit.outage) }

  /// Somebody of the world who acts without signing in.
  /// - Parameter name: The e-mail, or what is before its `@`.
  public func person(_ name: String) -> MadangPerson { MadangPerson(name: name, people: kit.people) }

  /// Everybody, in the order in which they signed up: 1000 at most.
  /// - Parameter number: Only those whose ``MadangAccount/number`` is higher.
  /// - Throws: ``MadangTestingError``.
  public func people(after number: Int64 = 0) async throws -> [MadangAccount] {
    try await MadangTestingError.wording {
      try await kit.people.list(after: number, limit: 1000).map {
        MadangAccount(email: $0.email, number: $0.number, id: $0.id, nickname: $0.nickname, workspaces: $0.workspaces)
      }
    }
  }

  /// What people do by themselves.
  public var scripts: MadangScripts { MadangScripts(scripts: kit.scripts) }

  /// What happened at its server.
  public var journal: MadangJournal { MadangJournal(journal: kit.journal, people: kit.people, origin: url) }

  /// What there is now, as a seed in YAML.
  public func exportSeed() async throws -> String {
    var text: [UInt8] = []
    try await MadangTestingError.wording { try await world.exportSeed { text += $0 } }
    return String(decoding: text, as: UTF8.self)
  }

  /// Returns to how it began: people, chats, files, clock and ids. All sockets are closed, scripts begin anew, and the journal is
  /// empty. Faults stay.
  /// - Parameters:
  ///   - keepsSockets: Whether sockets stay in rooms where they still have a right to be.
  ///   - limit: How long calls under way may go on before their connections are closed: in real time, 60 seconds at most.
  /// - Throws: ``MadangTestingError``.
  public func reset(keepsSockets: Bool = false, within limit: Duration = .seconds(2)) async throws {
    try await MadangTestingError.wording {
      try await world.reset(keepsSockets: keepsSockets, within: min(limit, World.longestCallLimit))
    }
  }

  /// Keeps how it is now, under a name; the one that had the name is forgotten.
  /// - Throws: ``MadangTestingError``.
  public func snapshot(_ name: String) async throws {
    try await MadangTestingError.wording { try await world.snapshot(name) }
  }

  /// The names of the snapshots that are kept.
  public var snapshots: [String] { world.snapshots }

  /// Forgets one.
  /// - Throws: ``MadangTestingError`` if nothing is kept under this name.
  public func removeSnapshot(_ name: String) throws {
    try MadangTestingError.wording { try world.removeSnapshot(name) }
  }

  /// Returns to how it was; ``reset(keepsSockets:within:)`` explains the parameters.
  /// - Throws: ``MadangTestingError`` if nothing is kept under this name.
  public func restore(
    _ name: String, keepsSockets: Bool = false, within limit: Duration = .seconds(2)
  ) async throws {
    try await MadangTestingError.wording {
      try await world.restore(name, keepsSockets: keepsSockets, within: min(limit, World.longestCallLimit))
    }
  }

  /// A client of edition 2024-10 that nobody has signed in with. Close it when done.
  /// - Parameter store: Where it keeps its session.
  public func makeClient(store: SessionStore = .inMemory) -> MadangClient {
    MadangClient(configuration: .init(server: url, apiKey: Self.apiKey), store: store)
  }

  /// A client with which this person is signed in. Close it when done.
  public func signIn(_ email: String, password: String = "Passw0rd!") async throws -> MadangClient {
    let client = makeClient()
    do {
      try await client.signIn(email: email, password: password)
    } catch {
      try? await client.close()
      throw error
    }
    return client
  }
}
