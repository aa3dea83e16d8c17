import Storage
import Synchronization

extension Madang {
  /// Counts the bytes of files that are posted in a workspace towards its quota and the account's. Throws `.quotaReached`, or refuses the
  /// write just before COMMIT, if a quota would be exceeded.
  ///
  /// With a quota a row holds the sum, so the cost does not grow with the number of files. All files are added up only the first time, and
  /// after files were posted without a quota. The row is locked only during the COMMIT: until then writes of the same account or workspace
  /// run in parallel.
  func count(_ files: [StoredFile], of user: Int64, in workspace: Reference, _ transaction: Transaction) throws {
    guard !files.isEmpty else { return }
    try count(files, for: try fileLimits(of: user, in: workspace, transaction), transaction)
  }

  /// Counts the bytes of a picture towards the quota of the account that sent it, and inserts its row. A replaced picture counts for
  /// another ``FileSettings/replacedPictureLifetime``. Throws `.quotaReached` like ``count(_:of:in:_:)``.
  func insertPicture(_ file: StoredFile, of user: Int64, in transaction: Transaction) throws {
    try count([file], for: [(.account(user), settings.files.perAccount)], transaction)
    try transaction.insertFile(file, room: nil, uploader: user, now: clock.now)
  }

  /// The account, if it has a quota and its files are not added up yet.
  func uncountedPictures(of user: Int64, _ transaction: Transaction) throws -> [FileUsageOwner] {
    guard settings.files.perAccount > 0, try transaction.countedFileBytes(of: .account(user)) == nil else { return [] }
    return [.account(user)]
  }

  private func count(
    _ files: [StoredFile], for limits: [(owner: FileUsageOwner, limit: Int)], _ transaction: Transaction
  ) throws {
    let bytes = files.reduce(0) { $0 + $1.size }
    // Checked before any change, because a refusal then costs other writes of the batch nothing.
    for (owner, limit) in limits where limit > 0 {
      if let counted = try transaction.countedFileBytes(of: owner) { try owner.require(counted + bytes, atMost: limit) }
    }
    for (owner, limit) in limits {
      transaction.beforeCommit(changing: owner.sum, adding: bytes) { transaction, later in
        guard limit > 0 else { return try transaction.forgetFileBytes(of: owner) }
        try owner.require(try transaction.addFileBytes(bytes, of: owner, uncounted: later), atMost: limit)
      }
    }
  }

  /// Adds up files of owners with a quota, in a write of its own. If this were part of the write, a refusal would discard the sum, and the
  /// next write would have to add up all files again.
  /// - Parameter uncounted: The result of ``uncountedFiles(of:in:_:)``.
  func addUpFiles(of uncounted: [FileUsageOwner]) async throws {
    guard !uncounted.isEmpty else { return }
    try await database.write { transaction in
      // Another write may have added them up meanwhile.
      for owner in uncounted where try transaction.countedFileBytes(of: owner) == nil {
        transaction.beforeCommit(changing: owner.sum) { transaction, later in
          _ = try transaction.addFileBytes(0, of: owner, uncounted: later)
        }
      }
    }
  }

  /// The owners whose quotas count for a post in a workspace and whose files are not added up yet.
  func uncountedFiles(of user: Int64, in workspace: Reference, _ transaction: Transaction) throws -> [FileUsageOwner] {
    try fileLimits(of: user, in: workspace, transaction).filter {
      try $0.limit > 0 && transaction.countedFileBytes(of: $0.owner) == nil
    }.map(\.owner)
  }

  /// The owners whose quotas count for a post in a workspace, and their limits in bytes; 0 means unlimited. Empty if the workspace does not
  /// exist: the post is refused for that reason.
  private func fileLimits(of user: Int64, in workspace: Reference, _ transaction: Transaction) throws -> [(
    owner: FileUsageOwner, limit: Int
  )] {
    guard let (id, quota) = try transaction.quota(of: workspace) else { return [] }
    return [
      (.workspace(id), quota.fileBytes ?? settings.quotas.files), (.account(user), settings.files.perAccount),
    ]
  }

  /// Discards wrong sums, so that they are added up again: sums of deleted accounts and workspaces, and sums of a database that an earlier
  /// version has worked on. Each call checks some sums, and the next call continues there, so the cost of a call does not grow with the
  /// number of files.
  package func forgetWrongFileUsage() async throws {
    let last = lastCheckedFileUsage.withLock(\.self)
    let (wrong, next) = try await database.read { try $0.wrongFileUsage(after: last, limit: 100, files: 20_000) }
    if !wrong.isEmpty {
      try await database.write { transaction in
        for (owner, bytes) in wrong {
          transaction.beforeCommit(changing: owner.sum) { transaction, _ in
            try transaction.forgetFileBytes(of: owner, if: bytes)
          }
        }
      }
    }
    lastCheckedFileUsage.withLock { $0 = next }
  }
}

extension FileUsageOwner {
  fileprivate func require(_ total: Int, atMost limit: Int) throws {
    guard total <= limit else {
      throw Failure(
        .quotaReached,
        "files: this \(scope) may have \(limit) bytes of files\(scope == "workspace" ? " in chats" : ""); replaced pictures count until "
          + "they are removed")
    }
  }
}
