import Storage
import Synchronization

/// Whose files are counted: of an account all that it sent, of a workspace those in its chats.
enum FileUsageOwner: Hashable {
  case account(Int64)
  case workspace(Int64)

  var scope: String {
    switch self {
    case .account: "account"
    case .workspace: "workspace"
    }
  }

  var number: Int64 {
    switch self {
    case .account(let number), .workspace(let number): number
    }
  }

  /// Their sums are changed just before COMMIT.
  var place: LastStepPlace { LastStepPlace(kind: "file usage of \(scope)", number: number) }
}

extension Madang {
  /// Counts the bytes of files that are posted in a workspace, for its quota and for that of the account. Throws `.quotaReached`, or has
  /// the write refused with it at its end, if one of them has more then than it may.
  ///
  /// Where there is a limit, a row has the sum, so that it costs the same however many files there are: the first time, and after files
  /// were posted without a limit, all of them are added up. It is locked for the COMMIT only: until then writes of one account, or one
  /// workspace, go on beside each other.
  func count(_ files: [StoredFile], of user: Int64, in workspace: Reference, _ transaction: Transaction) throws {
    guard !files.isEmpty else { return }
    try count(files, for: try fileLimits(of: user, in: workspace, transaction), transaction)
  }

  /// Counts the bytes of a picture of a person, workspace or channel for the quota of the account that sent it, and inserts its row. It
  /// counts as long as it is kept: after it was replaced for ``Settings/replacedPictureLifetime``. Throws `.quotaReached` as
  /// ``count(_:of:in:_:)`` does.
  func insertPicture(_ file: StoredFile, of user: Int64, in transaction: Transaction) throws {
    try count([file], for: [(.account(user), settings.files.perAccount)], transaction)
    try transaction.insertFile(file, room: nil, uploader: user, now: clock.now)
  }

  /// The account if it has a quota and its files are not added up yet.
  func uncountedPictures(of user: Int64, _ transaction: Transaction) throws -> [FileUsageOwner] {
    guard settings.files.perAccount > 0, try transaction.countedFileBytes(of: .account(user)) == nil else { return [] }
    return [.account(user)]
  }

  private func count(
    _ files: [StoredFile], for limits: [(owner: FileUsageOwner, limit: Int)], _ transaction: Transaction
  ) throws {
    let bytes = files.reduce(0) { $0 + $1.size }
    // Before anything is changed, as a refusal then costs nobody else anything.
    for (owner, limit) in limits where limit > 0 {
      if let counted = try transaction.countedFileBytes(of: owner) { try owner.require(counted + bytes, atMost: limit) }
    }
    for (owner, limit) in limits {
      transaction.lastly(at: owner.place, adding: bytes) { transaction, later in
        guard limit > 0 else { return try transaction.forgetFileBytes(of: owner) }
        try owner.require(try transaction.addFileBytes(bytes, of: owner, uncounted: later), atMost: limit)
      }
    }
  }

  /// Adds up what has a limit and is not counted yet, in a write of its own. Whoever is refused then has added up nothing: with the write
  /// that is refused its sum would be gone, and be made for the next one again.
  /// - Parameter uncounted: Of ``uncountedFiles(of:in:_:)``.
  func addUpFiles(of uncounted: [FileUsageOwner]) async throws {
    guard !uncounted.isEmpty else { return }
    try await database.write { transaction in
      // Somebody else may have added it up meanwhile.
      for owner in uncounted where try transaction.countedFileBytes(of: owner) == nil {
        transaction.lastly(at: owner.place) { transaction, later in
          _ = try transaction.addFileBytes(0, of: owner, uncounted: later)
        }
      }
    }
  }

  /// Whose files count when somebody posts in a workspace, and are not added up yet.
  func uncountedFiles(of user: Int64, in workspace: Reference, _ transaction: Transaction) throws -> [FileUsageOwner] {
    try fileLimits(of: user, in: workspace, transaction).filter {
      try $0.limit > 0 && transaction.countedFileBytes(of: $0.owner) == nil
    }.map(\.owner)
  }

  /// Whose files count when somebody posts in a workspace, and how many bytes they may have; 0 for any. None where there is no such
  /// workspace: who posts there is refused for that.
  private func fileLimits(of user: Int64, in workspace: Reference, _ transaction: Transaction) throws -> [(
    owner: FileUsageOwner, limit: Int
  )] {
    guard let (id, quota) = try transaction.quota(of: workspace) else { return [] }
    return [
      (.workspace(id), quota.fileBytes ?? settings.quotas.files), (.account(user), settings.files.perAccount),
    ]
  }

  /// Has sums added up anew that are not true: those of accounts and workspaces that are gone, and where an earlier version of this program
  /// has worked on the database. Each call looks at some of the sums, and the next call continues there: the cost of a call does not grow
  /// with the number of files.
  package func forgetWrongFileUsage() async throws {
    let last = lastCheckedFileUsage.withLock(\.self)
    let (wrong, next) = try await database.read { try $0.wrongFileUsage(after: last, limit: 100, files: 20_000) }
    if !wrong.isEmpty {
      try await database.write { transaction in
        for (owner, bytes) in wrong {
          transaction.lastly(at: owner.place) { transaction, _ in
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
        "files: this \(scope) may have \(limit) bytes of them\(scope == "workspace" ? " in chats" : ""); replaced pictures count until "
          + "they are removed")
    }
  }
}
