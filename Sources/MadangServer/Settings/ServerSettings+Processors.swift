import NIOCore

/// What depends on the machine as long as nobody sets it. Processors are those that the process may use, also in a container.
extension ServerSettings {
  /// One processor is left to everybody else: they do not notice that passwords are hashed.
  var hashingThreadCount: Int { hashingThreads > 0 ? hashingThreads : min(max(System.coreCount - 1, 1), 3) }

  var databaseReaderCount: Int { databaseReaders > 0 ? databaseReaders : min(max(System.coreCount, 2), 8) }
}
