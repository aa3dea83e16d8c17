import Logging
import MadangCore
import MadangServer
import Synchronization

/// A server in development mode, with the system's clock and randomness, the only one on an embedded database; its kit, and the worlds
/// that are made through it.
package struct DevelopmentServer: Sendable {
  package let server: MadangServer
  private let worlds: SharedWorlds

  package init(_ settings: ServerSettings, logger: Logger) async throws {
    let clock = MadangCore.Clock()
    let kit = Kit(clock: clock)
    let worlds = SharedWorlds(logger)
    self.worlds = worlds
    kit.answer { call in
      guard call.path.first == "worlds" else { return nil }
      return try await WorldCalls(worlds: try worlds.made()).respond(to: call)
    }
    server = try await buildServer(settings, clock: clock, isAlone: true, instruments: kit.instruments, logger: logger)
  }

  /// Ends all worlds. The server has ended.
  package func end() async { await worlds.end() }
}

/// The worlds of a process, made when the first of them is asked for.
private final class SharedWorlds: Sendable {
  private let worlds = Mutex<Worlds?>(nil)
  private let logger: Logger

  init(_ logger: Logger) { self.logger = logger }

  func made() throws -> Worlds {
    try worlds.withLock { worlds in
      if let worlds { return worlds }
      let made = try Worlds(logger: logger)
      worlds = made
      return made
    }
  }

  func end() async { await worlds.withLock(\.self)?.removeAll() }
}
