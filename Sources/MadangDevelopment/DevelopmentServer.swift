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

/// A server in development mode with the system's clock and randomness, the only one on an embedded database, together with
/// its kit and the worlds that it makes.
package struct DevelopmentServer: Service {
  package let server: MadangServer
  private let kit: TestKit
  private let worlds: SharedWorlds

  /// - Parameters:
  ///   - address: The address of the server and its worlds in URLs.
  package init(
    _ settings: ServerSettings, address: String = "127.0.0.1", logger: Logger
  ) async throws {
    let clock = MadangCore.Clock()
    let kit = TestKit(clock: clock)
    let worlds = SharedWorlds(settings, address, logger)
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
      switch (call.method, call.path.first, call.path.count) {
      case (_, "worlds", _): return try await WorldCalls(worlds: try worlds.made()).respond(to: call)
      case (.get, "about", 1):
        return try await call.answer { try await About(try kit.people.server().server, at: address) }
      default: return try await coverage.respond(to: call)
      }
    }
    server = try await kit.makeServer(settings, isAlone: true, logger: logger) { worlds.stand(around: &$0, kit) }
  }

  /// The answer to calls while the server stops.
  package static let isStopping = "the server is stopping; call again when it has been restarted"

  /// Serves until the task is cancelled or a graceful shutdown is triggered.
  package func run() async throws {
    defer { kit.serverHasEnded() }
    try await withGracefulShutdownHandler {
      try await server.run()
    } onGracefulShutdown: { [kit, worlds] in
      let reason = WorldError(Self.isStopping)
      kit.refuse(because: reason)
      worlds.refuse(because: reason)
    }
  }

  /// The number of calls in progress about a world, or about this server; for tests.
  package func callsUnderWay(of world: String? = nil) -> Int {
    guard let world else { return kit.developmentCallsUnderWay }
    return worlds.world(world)?.kit.developmentCallsUnderWay ?? 0
  }

  /// Removes all files of worlds at once: the process ends without waiting.
  package func removeFiles() { worlds.removeFiles() }

  /// Ends all scripts and worlds, after the server has ended.
  package func end() async {
    await kit.scripts.removeAll()
    await worlds.end()
  }
}

/// The worlds of a process, created at the first request for one.
private final class SharedWorlds: Sendable {
  private let worlds = Mutex<Worlds?>(nil)
  private let settings: ServerSettings
  private let address: String
  private let logger: Logger

  init(_ settings: ServerSettings, _ address: String, _ logger: Logger) {
    (self.settings, self.address, self.logger) = (settings, address, logger)
  }

  func made() throws -> Worlds {
    try worlds.withLock { worlds in
      if let worlds { return worlds }
      let made = try Worlds(beside: settings, address: address, logger: logger)
      worlds = made
      return made
    }
  }

  /// Finds the world of a request by its host.
  private enum Addressee {
    case server
    case world(World)
    case unknown
  }

  /// Lets the server's port also serve worlds, by the hosts of requests.
  func stand(around surroundings: inout Surroundings, _ kit: TestKit) {
    let requests = surroundings.requests
    surroundings.sockets = { [self] host in
      switch addressee(of: host) {
      case .server: kit.current.server?.socketIO
      case .world(let world): world.kit.current.server?.socketIO
      case .unknown: nil
      }
    }
    surroundings.requests = { [self] request, channel, isForOperators, answer in
      let host = request.head.authority
      switch isForOperators ? .server : addressee(of: host) {
      case .server: break
      case .world(let world): return try await world.port(answers: request, over: channel)
      case .unknown:
        let error = BadCall(
          "there is no world with the host '\(host ?? "")'; GET /_dev/worlds at localhost lists the worlds")
        return try .development(error, status: .notFound)
      }
      guard let requests else { return try await answer(request).response }
      return try await requests(request, channel, isForOperators, answer)
    }
  }

  /// The world `w1` of `w1.localhost:8080`, by its id or name. An id without a world, a name of several worlds and the name
  /// of a removed world are refused; other names may be the server's own.
  private func addressee(of host: String?) -> Addressee {
    guard let name = host?.nameUnderLocalhost?.lowercased() else { return .server }
    guard let worlds = worlds.withLock(\.self) else { return Worlds.isID(name) ? .unknown : .server }
    let named = worlds.worlds(named: name)
    if named.count == 1, let world = named.first { return .world(world) }
    return named.isEmpty && !Worlds.isID(name) && !worlds.hadWorld(named: name) ? .server : .unknown
  }

  func world(_ id: String) -> World? { worlds.withLock(\.self)?[id] }

  /// Calls that wait in a world end with the reason.
  func refuse(because reason: WorldError) {
    for world in worlds.withLock(\.self)?.all ?? [] { world.kit.refuse(because: reason) }
  }

  func end() async { await worlds.withLock(\.self)?.end() }

  func removeFiles() { worlds.withLock(\.self)?.removeFiles() }

  /// The sum for all worlds, also those that have ended; nil if there were none.
  var coverage: CoverageCounts? { worlds.withLock(\.self)?.coverage }

  func clearCoverage() { worlds.withLock(\.self)?.clearCoverage() }
}

extension String {
  /// The first part of `w1.localhost:8080`, `w1`; nil for any other host. Upper and lower case are equal. Every request
  /// calls this, so it compares bytes.
  fileprivate var nameUnderLocalhost: String? {
    var host = self
    return host.withUTF8 { bytes in
      // The port is searched from the end: it has at most five digits.
      var end = bytes.endIndex
      while end > 0, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(bytes[end - 1]) { end -= 1 }
      end = end > 0 && bytes[end - 1] == UInt8(ascii: ":") ? end - 1 : bytes.endIndex
      // Most hosts are addresses and have another ending.
      guard end > 0, bytes[end - 1] | 0x20 == UInt8(ascii: "t") else { return nil }
      return bytes[..<end].nameUnderLocalhost
    }
  }
}

extension Slice<UnsafeBufferPointer<UInt8>> {
  /// The first part of a host without a port.
  @inline(never)
  fileprivate var nameUnderLocalhost: String? {
    let suffix = ".localhost".utf8
    guard count >= suffix.count, self.suffix(suffix.count).elementsEqual(suffix, by: { $0 | 0x20 == $1 }) else {
      return nil
    }
    return String(decoding: dropLast(suffix.count), as: UTF8.self)
  }
}
