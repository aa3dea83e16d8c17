import Storage

/// Threads for blocking work. Several servers of a process may share them.
package struct WorkerPools: Sendable {
  let files: WorkerPool
  let hashing: WorkerPool

  package init(_ settings: ServerSettings) {
    files = WorkerPool(name: "files", threads: 2, queueLimit: 4096)
    // With several threads, one address never uses all of them: another client's sign-in starts at once.
    let threads = settings.hashingThreadCount
    hashing = WorkerPool(
      name: "hashing", threads: threads, queueLimit: 1024, turnLimit: settings.limits.hashing,
      turnThreads: max(threads - 1, 1), isYielding: true)
  }
}
