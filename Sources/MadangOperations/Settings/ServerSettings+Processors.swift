import NIOCore

/// Defaults that depend on the machine. In a container its limit applies.
extension ServerSettings {
  /// One of several processors is left to the other threads, so that others wait less while passwords are hashed.
  package var hashingThreadCount: Int { hashingThreads > 0 ? hashingThreads : min(max(System.coreCount - 1, 1), 3) }

  package var databaseReaderCount: Int { database.readers > 0 ? database.readers : min(max(System.coreCount, 2), 8) }
}
