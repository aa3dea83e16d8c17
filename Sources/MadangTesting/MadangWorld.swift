import Foundation
import Logging
import MadangAPI
import MadangClient
import MadangDevelopment

/// A server of its own for a test, in this process, on a free port of 127.0.0.1: people, rooms, files, clock and limits are nobody
/// else's. Tests with worlds of their own run in parallel.
///
/// In a test, ``Madang/world`` is the one that `.madang(...)` made. Elsewhere use ``with(_:number:port:_:)``, or ``init(_:number:port:)``
/// and ``end()``.
public final class MadangWorld: Sendable {
  private let world: World
  private let worlds: Worlds

  /// The worlds of this process share their threads and the states in which seeds begin.
  private static let shared = Result { try Worlds(logger: quiet) }
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
    do {
      worlds = try Self.shared.get()
      world = try await worlds.make(plan)
    } catch {
      throw MadangTestingError(description: "\(error)")
    }
  }

  /// Runs `body` with a world, which ends with it.
  public static func with<Outcome>(
    _ seed: MadangSeed = .courtyard, number: UInt64? = nil, port: Int = 0,
    _ body: (MadangWorld) async throws -> Outcome
  ) async throws -> Outcome {
    let world = try await MadangWorld(seed, number: number, port: port)
    let outcome: Result<Outcome, any Error>
    do { outcome = .success(try await body(world)) } catch { outcome = .failure(error) }
    await world.end()
    return try outcome.get()
  }

  /// Stops the server and removes all that it has.
  public func end() async { _ = await worlds.remove(world.id) }

  /// The server's origin, such as `http://127.0.0.1:49152`.
  public var url: String { world.url }
  public var port: Int { world.port }

  /// The `SesacKey` with which clients of edition 2024-10 call it.
  public static let apiKey = DevelopmentKey.october2024
  /// The same for clients of edition 2024-01.
  public static let january2024Key = DevelopmentKey.january2024

  /// Its time.
  public var clock: MadangClock { MadangClock(clock: world.clock) }

  /// Returns to how it began: people, chats, files, clock and ids. All sockets are closed.
  /// - Parameter keepsSockets: Whether sockets stay in rooms where they still have a right to be.
  /// - Throws: ``MadangTestingError``.
  public func reset(keepsSockets: Bool = false) async throws {
    try await wording { try await world.reset(keepsSockets: keepsSockets) }
  }

  /// Keeps how it is now, under a name; the one that had the name is forgotten.
  /// - Throws: ``MadangTestingError``.
  public func snapshot(_ name: String) async throws { try await wording { try await world.snapshot(name) } }

  /// Returns to how it was.
  /// - Throws: ``MadangTestingError`` if nothing is kept under this name.
  public func restore(_ name: String, keepsSockets: Bool = false) async throws {
    try await wording { try await world.restore(name, keepsSockets: keepsSockets) }
  }

  /// A client of edition 2024-10 that nobody has signed in with. Close it when done.
  public func makeClient() -> MadangClient {
    MadangClient(configuration: .init(server: url, apiKey: Self.apiKey), store: .inMemory)
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

  private func wording(_ body: () async throws -> Void) async throws {
    do { try await body() } catch { throw MadangTestingError(description: "\(error)") }
  }
}
