import Foundation

/// Storage for files: a local directory or a remote bucket. Each file has a path `<folder>/<name>.<ext>`, which ``FileStore`` makes. All
/// calls may run concurrently, from several servers.
///
/// No file exists under a text that is no such path (``FileStore/isPath(_:)``), and such a text is never followed.
package protocol FileHome: Sendable {
  /// Prepares the storage and stores the built-in default pictures. Throws if the storage cannot be written to.
  func prepare() async throws

  /// Stores a staged file under a path, durably. Throws `Failure(.notFound)` if the path is invalid. After any other error the file may or
  /// may not be stored.
  func put(_ file: StagedFile, as path: String) async throws

  /// Bytes of a stored file. Throws if they cannot be read, as far as that is known before reading starts.
  /// - Parameter range: Must be within the file's size.
  func content(of path: String, range: ClosedRange<Int>) async throws -> FileContent

  /// The size of a stored file in bytes; nil if the file is missing.
  func size(of path: String) async throws -> Int?

  /// Whether a stored file is known to be missing. False if finding out would cost a remote call.
  func isKnownMissing(_ path: String) async throws -> Bool

  /// Removes files, even if the caller's task is cancelled. Returns the paths that no longer exist.
  func remove(_ paths: [String]) async -> [String]

  /// Calls `body` with the paths of a folder's files that were last changed before `date`, at most `page` at a time. Built-in pictures and
  /// hidden files of operating systems are left out. Memory use does not grow with the folder. `body` may remove or move the files.
  func forEachPage(
    of folder: FileFolder, changedBefore date: Date, page: Int, _ body: ([String]) async throws -> Void
  ) async throws

  /// Moves files to a day's folder in the trash and keeps their paths below it. If a file cannot be moved, moves the others and throws.
  func moveToTrash(_ paths: [String], day: String) async throws

  /// Removes the folders of days before `day` from the trash, `page` files at a time.
  func emptyTrash(before day: String, page: Int) async throws

  /// Number and bytes of files in the trash, counted up to `limit` files. Zero if counting would cost remote calls.
  func trashSize(upTo limit: Int) async throws -> (files: Int, bytes: Int)

  /// The id of the installation that owns these files; nil if none was set.
  func installationID() async throws -> String?

  /// Sets the installation's id, durably.
  func setInstallationID(_ id: String) async throws

  /// Whether any file exists other than built-in files and hidden files of operating systems.
  func hasUploads() async throws -> Bool

  /// Whether any of the files exists. Storage with costly calls may check only the first ones.
  func holdsAny(of paths: [String]) async throws -> Bool

  /// Throws if this server cannot use the storage but another server might.
  func ping() async throws
}

/// The content of a stored file.
package enum FileContent: Sendable {
  /// In a local file, at the requested range.
  case file(URL)
  /// In remote storage: exactly the requested bytes, once, at the speed of the consumer.
  case pieces(any AsyncSequence<[UInt8], any Error> & Sendable)
}

/// The folder of files that no row names: `trash/<day>/<folder>/<name>`. The row may be in another database than the one that the server
/// was started with, so an operator can move files back from here.
package let trashFolder = "trash"

/// The name of the installation's id, beside the folders.
package let installationName = "installation"

/// Whether a text looks like a day's folder of the trash, `2026-11-23`. Other entries of the trash belong to other programs and are not
/// removed.
package func isDay(_ text: some StringProtocol) -> Bool {
  text.utf8.count == 10
    && text.utf8.enumerated().allSatisfy { index, byte in
      index == 4 || index == 7 ? byte == UInt8(ascii: "-") : (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
    }
}
