import Foundation
import Logging

extension Database {
  /// Checks an SQLite file before it is opened. Throws `.damaged` if it is damaged, or its write-ahead log belongs to another file.
  /// - Parameter limit: Size in bytes up to which the whole file is read; a larger file is read only if its log may belong to another file.
  package static func checkFile(at path: String, readingUpTo limit: Int) async throws {
    let worker = WorkerPool(name: "check", threads: 1, queueLimit: 1)
    defer { worker.shutdown() }
    try await worker.run { try SQLiteFileCheck(path: path, limit: limit).run() }
  }

  /// The file's identity, in the form in which the file stores it; nil on PostgreSQL.
  package var fileIdentity: (name: String, value: String)? {
    guard let path = source.sqlitePath, let identity = FileIdentity(path: path) else { return nil }
    return (SQLiteFileCheck.identityName, "\(identity.inode)")
  }

  /// Describes how the database's file was exchanged or overwritten while it was open; nil if it was not, and on PostgreSQL.
  package var fileProblem: String? {
    guard let watch = source.fileWatch, let problem = watch.problem else { return nil }
    return watch.failure(problem).message
  }

  /// Copies the committed data to a new file, as fast as the disk allows. Throws `.other` on PostgreSQL, which makes its own copies.
  package func copy(to path: String) async throws {
    guard let source = source.sqlitePath else { throw StorageError(.other, "PostgreSQL copies its databases itself") }
    let copy = SQLiteCopy(source: source, target: path, busyTimeout: self.source.busyTimeout, pace: .full)
    let worker = WorkerPool(name: "copy", threads: 1, queueLimit: 1)
    defer { worker.shutdown() }
    try await worker.run { try copy.make() }
  }

  /// Runs the body against one snapshot of the committed data, however long it takes, while others write. The body may run more than once.
  /// Errors as with `read`.
  ///
  /// A long read would keep SQLite's log from being emptied. So on SQLite the body reads a copy, which is made in `folder` at the given
  /// pace and removed afterwards.
  package func readAtLength<Success: Sendable>(
    copyIn folder: URL, _ pace: Pace, logger: Logger, _ body: @escaping @Sendable (Transaction) throws -> Success
  ) async throws -> Success {
    guard let path = source.sqlitePath else { return try await read(body) }
    let copy = SQLiteCopy(
      source: path, target: folder.appending(path: "copy.sqlite").path, busyTimeout: source.busyTimeout, pace: pace)
    let worker = WorkerPool(name: "copy", threads: 1, queueLimit: 1)
    let result: Result<Success, any Error>
    do {
      try await worker.run { try copy.make() }
      result = .success(try await copy.read(logger: logger, body))
    } catch {
      result = .failure(error)
    }
    // Not in a task that may be cancelled: a copy that is left would block the next one.
    await Task { try? await worker.run { copy.remove() } }.value
    return try result.get()
  }
}

extension SQLiteCopy {
  fileprivate func read<Success: Sendable>(
    logger: Logger, _ body: @escaping @Sendable (Transaction) throws -> Success
  ) async throws -> Success {
    var configuration = DatabaseConfiguration(.sqlite(path: target))
    configuration.readers = 1
    configuration.statementTimeout = .zero
    let database = try await Database(configuration, logger: logger)
    let result: Result<Success, any Error>
    do { result = .success(try await database.read(body)) } catch { result = .failure(error) }
    await database.close()
    return try result.get()
  }
}
