import Hummingbird
import Logging
import MadangAPI
import MadangCore
import MadangOperations
import MadangServer
import NIOCore
import ServiceLifecycle
import SocketIOServer
import Synchronization

/// A server in development mode, with the system's clock and randomness, the only one on an embedded database; its kit, and the worlds
/// that are made through it.
package struct DevelopmentServer: Service {
  package let server: MadangServer
  private let kit: Kit
  private let worlds: SharedWorlds

  /// - Parameter address: By which clients reach the server and its worlds, as URLs have it.
  package init(_ settings: ServerSettings, address: String = "127.0.0.1", logger: Logger) async throws {
    let clock = MadangCore.Clock()
    let kit = Kit(clock: clock)
    let worlds = SharedWorlds(Worlds.settings(beside: settings), address, postgres: settings.database.url, logger)
    (self.kit, self.worlds) = (kit, worlds)
    let coverage = CoverageCalls {
      var counts = kit.coverage.counts
      if let others = worlds.coverage { counts.add(others) }
      return counts
    } clear: {
      kit.coverage.clear()
      worlds.clearCoverage()
    }
    kit.answer { call in
      guard call.path.first == "worlds" else { return try await coverage.respond(to: call) }
      return try await WorldCalls(worlds: try worlds.made()).respond(to: call)
    }
    server = try await kit.makeServer(settings, isAlone: true, logger: logger) { worlds.stand(around: &$0, kit) }
  }

  /// Serves until the task is cancelled or a graceful shutdown is triggered.
  package func run() async throws {
    defer { kit.serverHasEnded() }
    try await withGracefulShutdownHandler {
      try await server.run()
    } onGracefulShutdown: { [kit, worlds] in
      let reason = WorldError("the server is stopping; ask again when it has been started anew")
      kit.refuse(because: reason)
      worlds.refuse(because: reason)
    }
  }

  /// How many calls about a server are being answered, for tests: about a world, or about this one.
  package func callsUnderWay(of world: String? = nil) -> Int {
    guard let world else { return kit.developmentCallsUnderWay }
    return worlds.world(world)?.kit.developmentCallsUnderWay ?? 0
  }

  /// Removes all files of worlds, at once: the process ends without waiting for anything.
  package func removeFiles() { worlds.removeFiles() }

  /// Ends all scripts and worlds. The server has ended.
  package func end() async {
    await kit.scripts.removeAll()
    await worlds.end()
  }
}

/// The worlds of a process, made when the first of them is asked for.
private final class SharedWorlds: Sendable {
  private let worlds = Mutex<Worlds?>(nil)
  private let settings: ServerSettings
  private let address: String
  private let postgres: String?
  private let logger: Logger

  init(_ settings: ServerSettings, _ address: String, postgres: String?, _ logger: Logger) {
    (self.settings, self.address, self.postgres, self.logger) = (settings, address, postgres, logger)
  }

  func made() throws -> Worlds {
    try worlds.withLock { worlds in
      if let worlds { return worlds }
      let made = try Worlds(settings, address: address, postgres: postgres, logger: logger)
      worlds = made
      return made
    }
  }

  /// What answers requests that name a host.
  private enum Addressee {
    case server
    case world(World)
    case unknown
  }

  /// Has the server's port lead to worlds, too, by the hosts that requests name.
  func stand(around surroundings: inout Surroundings, _ kit: Kit) {
    let (connections, requests) = (surroundings.connections, surroundings.requests)
    surroundings.connections = { [self] configuration in
      connections?(&configuration)
      configuration.server = { [self] host in
        switch addressee(of: host) {
        case .server: kit.current.server?.socketIO
        case .world(let world): world.kit.current.server?.socketIO
        case .unknown: nil
        }
      }
    }
    surroundings.requests = { [self] request, channel, isForOperators, answer in
      let host = request.head.authority
      switch isForOperators ? .server : addressee(of: host) {
      case .server: break
      case .world(let world): return try await world.port(answers: request, over: channel)
      case .unknown:
        let error = BadCall(
          "there is no world of '\(host ?? "")', or no more; GET /_dev/worlds at localhost lists them")
        return try .development(error, status: .notFound)
      }
      guard let requests else { return try await answer(request).response }
      return try await requests(request, channel, isForOperators, answer)
    }
  }

  /// Of `w1.localhost:8080` the world `w1`, by its id or name. An id that no world has, or has any more, leads nowhere, and so does
  /// a name of several worlds, or of one that was removed; other names may be the server's own.
  private func addressee(of host: String?) -> Addressee {
    guard let name = host?.nameUnderLocalhost?.lowercased() else { return .server }
    guard let worlds = worlds.withLock(\.self) else { return Worlds.isID(name) ? .unknown : .server }
    let named = worlds.worlds(named: name)
    if named.count == 1, let world = named.first { return .world(world) }
    return named.isEmpty && !Worlds.isID(name) && !worlds.hadWorld(named: name) ? .server : .unknown
  }

  func world(_ id: String) -> World? { worlds.withLock(\.self)?[id] }

  /// Who waits for something in a world is told so.
  func refuse(because reason: WorldError) {
    for world in worlds.withLock(\.self)?.all ?? [] { world.kit.refuse(because: reason) }
  }

  func end() async { await worlds.withLock(\.self)?.end() }

  func removeFiles() { worlds.withLock(\.self)?.removeFiles() }

  /// Of all worlds, also of those that have ended; nil if there were none.
  var coverage: CoverageCounts? { worlds.withLock(\.self)?.coverage }

  func clearCoverage() { worlds.withLock(\.self)?.clearCoverage() }
}

extension String {
  /// Of `w1.localhost:8080` the beginning, `w1`; nil for any other host. Names of hosts are the same in capitals. Every request asks, so
  /// bytes are looked at.
  fileprivate var nameUnderLocalhost: String? {
    var host = self
    return host.withUTF8 { bytes in
      // The port is looked for from the end: it has five digits at most.
      var end = bytes.endIndex
      while end > 0, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(bytes[end - 1]) { end -= 1 }
      end = end > 0 && bytes[end - 1] == UInt8(ascii: ":") ? end - 1 : bytes.endIndex
      // Most hosts are addresses, and do not end as this one does.
      guard end > 0, bytes[end - 1] | 0x20 == UInt8(ascii: "t") else { return nil }
      return bytes[..<end].nameUnderLocalhost
    }
  }
}

extension Slice<UnsafeBufferPointer<UInt8>> {
  /// The same of a host without its port.
  @inline(never)
  fileprivate var nameUnderLocalhost: String? {
    let suffix = ".localhost".utf8
    guard count >= suffix.count, self.suffix(suffix.count).elementsEqual(suffix, by: { $0 | 0x20 == $1 }) else {
      return nil
    }
    return String(decoding: dropLast(suffix.count), as: UTF8.self)
  }
}
