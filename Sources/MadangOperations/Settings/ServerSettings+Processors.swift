import NIOCore

/// What depends on the machine as long as nobody sets it. In a container its limit counts.
extension ServerSettings {
  /// Where there are several processors, one is left to the other threads: others wait less while passwords are hashed.
  package var hashingThreadCount: Int { hashingThreads > 0 ? hashingThreads : min(max(System.coreCount - 1, 1), 3) }

  package var databaseReaderCount: Int { database.readers > 0 ? database.readers : min(max(System.coreCount, 2), 8) }
}
