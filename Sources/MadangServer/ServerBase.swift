import Logging
import MadangCore
import SocketIOServer
import Storage
import Synchronization

/// What stands before a server's database, and stays when another one takes its place.
final class ServerBase: Sendable {
  let settings: ServerSettings
  let clock: Clock
  let socketIO: SocketIOServer
  let socketPath: String
  let ledger: Ledger
  let metrics: Metrics
  let pools: WorkerPools
  /// Nil unless a kit for tests of clients is there.
  let instruments: Instruments?
  /// Calls under `/_dev`.
  let developmentCalls = CallsUnderWay()
  let logger: Logger
  let date: DateHeader
  private let backends = Atomic(0)

  init(
    settings: ServerSettings, clock: Clock, socketIO: SocketIOServer, socketPath: String, ledger: Ledger,
    metrics: Metrics, pools: WorkerPools, instruments: Instruments?, logger: Logger
  ) {
    self.settings = settings
    self.clock = clock
    self.socketIO = socketIO
    self.socketPath = socketPath
    self.ledger = ledger
    self.metrics = metrics
    self.pools = pools
    self.instruments = instruments
    self.logger = logger
    date = DateHeader(clock: clock)
  }

  /// Where the next backend begins to count endings, so that a socket which another one let in is checked again.
  func nextEndings() -> Int { backends.add(1, ordering: .relaxed).newValue << 32 }
}

/// Threads for what blocks.
package struct WorkerPools: Sendable {
  let files: WorkerPool
  let hashing: WorkerPool

  package init(_ settings: ServerSettings) {
    files = WorkerPool(name: "files", threads: 2, queueLimit: 4096)
    // With several threads an address never has all of them: somebody else's sign-in begins at once.
    let threads = settings.hashingThreadCount
    hashing = WorkerPool(
      name: "hashing", threads: threads, queueLimit: 1024, turnLimit: settings.limits.hashing,
      turnThreads: max(threads - 1, 1), isYielding: true)
  }
}
