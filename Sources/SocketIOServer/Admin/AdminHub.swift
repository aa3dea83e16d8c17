import Foundation
import Logging
import SocketIOProtocol
import Synchronization

/// Collects changes from all event loops for the admin UIs that watch the server; does nothing while none watches.
final class AdminHub: SocketObserver {
  private struct State {
    /// The ids of the watchers' sockets.
    var watchers: Set<String> = []
    var changes: [AdminChange] = []
    /// Whether there were more changes than may be sent.
    var isStale = false
    /// The ids of logins, oldest first.
    var logins: [String] = []
    /// Sends the collected changes while at least one UI watches.
    var reporter: Task<Void, Never>?
  }

  let settings: SocketIOServer.Admin
  private let core: ServerCore
  private let state = Mutex(State())
  private let isWatched = Atomic(false)
  private let started = ContinuousClock.now

  init(_ settings: SocketIOServer.Admin, core: ServerCore) {
    self.settings = settings
    self.core = core
  }

  // MARK: Gathering

  /// Records a change of a socket, unless the socket is a watcher's own.
  func note(_ socket: Socket, _ change: (SocketSnapshot) -> SocketChange) {
    guard isWatched.load(ordering: .relaxed), socket.namespace != settings.namespace else { return }
    let change = AdminChange(kind: change(SocketSnapshot(socket)), date: .now)
    // Releasing a snapshot may run application code, which must not run under the lock.
    let dropped = state.withLock { state -> [AdminChange] in
      guard state.changes.count >= settings.maxUpdates else {
        state.changes.append(change)
        return []
      }
      defer { state.changes = [] }
      state.isStale = true
      return state.changes
    }
    withExtendedLifetime(dropped) {}
  }

  // MARK: Watchers

  func started(_ watcher: Socket) {
    if let login = watcher[Login.self] { send("session", to: watcher) { [try JSONText.encoded(login.id)] } }
    let features = settings.isReadOnly ? [] : AdminConfig.allFeatures
    send("config", to: watcher) { [try JSONText.encoded(AdminConfig(supportedFeatures: features))] }
    isWatched.store(true, ordering: .relaxed)
    state.withLock { state in
      state.watchers.insert(watcher.id)
      state.isStale = true
      // Unstructured: it runs as long as at least one UI watches.
      if state.reporter == nil { state.reporter = Task { await report() } }
    }
  }

  func stopped(_ watcher: Socket) {
    state.withLock { state in
      state.watchers.remove(watcher.id)
      guard state.watchers.isEmpty else { return }
      isWatched.store(false, ordering: .relaxed)
      state.reporter?.cancel()
      state.reporter = nil
      state.changes = []
    }
  }

  // MARK: Reporting

  private func report() async {
    var nextStats = ContinuousClock.now
    while !Task.isCancelled {
      if ContinuousClock.now >= nextStats {
        nextStats = .now + settings.statsInterval
        let stats = await stats()
        send("server_stats") { [try JSONText.encoded(stats)] }
      }
      await sendChanges()
      try? await Task.sleep(for: settings.updateInterval)
    }
  }

  private func sendChanges() async {
    let (changes, isStale) = state.withLock { state in
      defer {
        state.changes = []
        state.isStale = false
      }
      return (state.changes, state.isStale)
    }
    guard isStale else {
      for change in changes { send(change.event) { try change.arguments(settings) } }
      return
    }
    let sockets = await allSockets()
    send("all_sockets") { [try JSONText.encoded(sockets)] }
  }

  private var namespaces: [(name: String, sockets: Int)] {
    core.namespaceSizes.filter { $0.name != settings.namespace }.sorted { $0.sockets > $1.sockets }
  }

  private func allSockets() async -> [AdminSocket] {
    var found: [AdminSocket] = []
    for (name, _) in namespaces {
      for shard in core.shards(in: name) {
        let room = settings.maxSockets - found.count
        guard room > 0 else { return found }
        found += await withCheckedContinuation { [settings] continuation in
          shard.run { shard in
            let sockets = shard.sockets(in: BroadcastTarget(namespace: name)).prefix(room)
            continuation.resume(returning: sockets.map { AdminSocket(SocketSnapshot($0), settings) })
          }
        }
      }
    }
    return found
  }

  private func stats() async -> AdminStats {
    var polling = 0
    for shard in core.shards {
      polling += await withCheckedContinuation { continuation in
        shard.run { shard in
          continuation.resume(returning: shard.sessions.values.count { $0.engine.transport == .polling })
        }
      }
    }
    let uptime = ContinuousClock.now - started
    return AdminStats(
      serverId: settings.serverID, hostname: ProcessInfo.processInfo.hostName,
      pid: ProcessInfo.processInfo.processIdentifier, uptime: Double(uptime.milliseconds) / 1000,
      clientsCount: core.stats.sessions, pollingClientsCount: polling,
      namespaces: namespaces.prefix(settings.maxSockets).map { .init(name: $0.name, socketsCount: $0.sockets) })
  }

  private func send(_ event: String, to watcher: Socket? = nil, _ arguments: () throws -> [[UInt8]]) {
    do {
      let arguments = SocketArguments(try arguments())
      if let watcher {
        watcher.emit(event, arguments)
      } else {
        core.broadcastLocally(event, arguments, to: BroadcastTarget(namespace: settings.namespace))
      }
    } catch {
      core.logger.error("The admin namespace could not encode an event", metadata: ["error": "\(error)"])
    }
  }
}

// MARK: - Logging in

extension AdminHub {
  /// Allows a watcher who knew the password to return without it.
  private struct Login: Sendable {
    let id: String
  }

  private struct Credentials: Decodable {
    var username: String?
    var password: String?
    var sessionId: String?
  }

  /// Whether a UI may watch: it knows the password, or the id of an earlier login.
  func admit(_ request: ConnectRequest) async -> Admission {
    let credentials = try? request.auth(as: Credentials.self)
    if let login = credentials?.sessionId, state.withLock({ $0.logins.contains { Self.isSame($0, login) } }) {
      return .accept()
    }
    let isUser = Self.isSame(credentials?.username ?? "", settings.username)
    guard Self.isSame(credentials?.password ?? "", settings.password), isUser else {
      try? await Task.sleep(for: settings.failureDelay)
      core.logger.info("Admin UI refused: wrong credentials")
      return .refuse(message: "invalid credentials")
    }
    let login = SessionID.make(shard: 0)
    state.withLock { state in
      state.logins.append(login)
      if state.logins.count > settings.maxLogins { state.logins.removeFirst() }
    }
    return .accept(SocketData(Login(id: login)))
  }

  /// Compares digests, so the time does not depend on where the texts differ.
  private static func isSame(_ first: String, _ second: String) -> Bool {
    MessageDigest.sha256(of: Array(first.utf8)) == MessageDigest.sha256(of: Array(second.utf8))
  }
}
