import Foundation
import Storage

extension Madang {
  /// Searches for states that this program never leaves behind, and reports each. Changes nothing, and the server may go on: each query
  /// sees one moment. Memory use does not grow with the data.
  ///
  /// - Parameters:
  ///   - hashes: Whether to read all files, and not only compare their sizes.
  ///   - age: Files without a row are ignored if they are younger than this, in milliseconds: a server moves them to the trash within two
  ///     hours.
  package func check(
    hashes: Bool, orphansOlderThan age: Int64 = 2 * 3_600_000, progress: @escaping @Sendable (BackupProgress) -> Void,
    _ report: @escaping @Sendable (Finding) async throws -> Void
  ) async throws {
    let schema = try await Schema(Self.migrations, logger: logger)
    let dialect = database.dialect
    var questions: [@Sendable (Transaction) throws -> [Finding]] = [
      { try $0.integrityFindings(dialect) }, { try $0.coinFindings() }, { try $0.roomFindings() },
      { try $0.attachmentFindings() }, { try $0.pictureFindings() }, { try $0.pathFindings() },
    ]
    for table in schema.tables {
      questions.append { try $0.referenceFindings(of: table) }
      if table.isNumbered { questions.append { try $0.numberFindings(of: table.name, dialect) } }
    }
    let count = ProgressCount("checking the database", of: questions.count, progress)
    for question in questions {
      for finding in try await database.read(question) { try await report(finding) }
      count.add(1)
    }
    try await checkInstallation(report)
    try await checkFiles(hashes: hashes, progress: progress, report)
    try await checkOrphans(olderThan: age, progress: progress, report)
  }

  private func checkInstallation(_ report: (Finding) async throws -> Void) async throws {
    let ours = try await database.read { try $0.installationID() }
    let theirs = try await files.installationID()
    guard ours != theirs || ours == nil else { return }
    try await report(
      Finding(
        kind: .installation, subject: "installation",
        problem: "the database belongs to \(ours ?? "none"), the files to \(theirs ?? "none")",
        cure: "name a database and files that belong together, with --data, --database-url and --files"))
  }

  /// Checks that each file that a row names exists and is unchanged.
  private func checkFiles(
    hashes: Bool, progress: @escaping @Sendable (BackupProgress) -> Void,
    _ report: @escaping @Sendable (Finding) async throws -> Void
  ) async throws {
    let total = try await database.read { try $0.fileCount() }
    let count = ProgressCount("checking files", of: total, progress)
    let workers = WorkerPool(name: "check", threads: 2, queueLimit: 64)
    defer { workers.shutdown() }
    var last: Int64 = 0
    while true {
      let page = try await database.read { [last] in try $0.fileEntries(after: last, limit: 500) }
      guard let end = page.last?.id else { return }
      last = end
      try await concurrently(page.map(\.file), atMost: BackupFiles.parallelCopies) { file in
        count.add(1)
        guard let problem = try await self.problem(of: file, hashes: hashes, workers) else { return }
        // A file is removed after its row, so a file of a room that was deleted meanwhile is not reported.
        guard try await self.isNamed(file.path) else { return }
        try await report(
          Finding(kind: .file, subject: file.path, problem: problem, cure: "copy it back from a backup, unchanged"))
      }
    }
  }

  private func problem(of file: FileEntry, hashes: Bool, _ workers: WorkerPool) async throws -> String? {
    guard let size = try await files.home.size(of: file.path) else { return "is missing" }
    guard size == file.size else { return "has \(size) bytes instead of \(file.size)" }
    guard hashes, size > 0 else { return nil }
    do {
      let digest = try await digest(of: file.path, size: size, workers)
      return digest.hex == file.sha256 ? nil : "has changed since it was stored: its SHA-256 differs"
    } catch {
      // The file may have been removed meanwhile.
      guard try await files.home.size(of: file.path) == nil else { throw error }
      return "is missing"
    }
  }

  private func digest(of path: String, size: Int, _ workers: WorkerPool) async throws -> Digest {
    switch try await files.home.content(of: path, range: 0...size - 1) {
    case .file(let url): return try await workers.run { try Digest(of: url.resolvingSymlinksInPath()) }
    case .pieces(let pieces):
      var digest = Digest()
      for try await piece in pieces { digest.update(piece) }
      return digest
    }
  }

  private func checkOrphans(
    olderThan age: Int64, progress: @escaping @Sendable (BackupProgress) -> Void,
    _ report: (Finding) async throws -> Void
  ) async throws {
    let before = Date(timeIntervalSince1970: Double(Clock.systemTime() - age) / 1000)
    let count = ProgressCount("looking for files without a database row", progress)
    for folder in FileFolder.allCases {
      try await files.home.forEachPage(of: folder, changedBefore: before, page: settings.filePage) { page in
        let known = try await database.read { try $0.paths(among: page) }
        for path in page where !known.contains(path) {
          try await report(
            Finding(
              kind: .file, subject: path, problem: "it has no database row",
              cure:
                "a running server moves it to the trash; if it belongs to another database, name that one")
          )
        }
        count.add(page.count)
      }
    }
  }
}
