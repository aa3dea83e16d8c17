import Foundation

/// Where stored files are kept, each under a path `<folder>/<name>.<ext>` that ``FileStore`` makes: a directory, or a
/// bucket elsewhere. All of it may be called at once, by several servers.
///
/// Under a text that is no such path (``FileStore/isPath(_:)``) there is no file: it leads nowhere.
package protocol FileHome: Sendable {
  /// Makes what all else needs, and the built-in default pictures. Throws if the home takes no files.
  func prepare() async throws

  /// Puts a staged file under a path, durably. Throws `Failure(.notFound)` if it is no path of a stored file. If it throws, the
  /// file may be there or not.
  func put(_ file: StagedFile, as path: String) async throws

  /// Bytes of a stored file. Throws if they cannot be had, as far as that is known before the first is read.
  /// - Parameter range: Which; within the file's size.
  func content(of path: String, range: ClosedRange<Int>) async throws -> FileContent

  /// The size of a stored file in bytes; nil if it is not there.
  func size(of path: String) async throws -> Int?

  /// Whether a stored file is known to be missing. False where asking costs a call.
  func isKnownMissing(_ path: String) async throws -> Bool

  /// Removes files, whether or not the caller's task is cancelled. Answers which are gone now.
  func remove(_ paths: [String]) async -> [String]

  /// Hands the paths of a folder's files that were last changed before `date` to `body`, at most `page` at a time; not those of
  /// the built-in pictures, and not what systems hide. Memory does not grow with the folder. `body` may remove or move the
  /// files.
  func forEachPage(
    of folder: FileFolder, changedBefore date: Date, page: Int, _ body: ([String]) async throws -> Void
  ) async throws

  /// Moves files to a day's folder of the trash, under their own paths. Throws if one could not be moved; the others are.
  func moveToTrash(_ paths: [String], day: String) async throws

  /// Removes the folders of the trash that are of days before this one, `page` files at a time.
  func emptyTrash(before day: String, page: Int) async throws

  /// The id of the installation whose files these are; nil if none was set.
  func installationID() async throws -> String?

  /// Sets it, durably.
  func setInstallationID(_ id: String) async throws

  /// Whether there is any file but those the program brings itself, and those that systems hide.
  func hasUploads() async throws -> Bool

  /// Whether any of the files is there. A home where asking costs may leave out all but the first ones.
  func holdsAny(of paths: [String]) async throws -> Bool

  /// Throws if this server cannot use the home and another one might.
  func ping() async throws
}

/// Bytes of a stored file.
package enum FileContent: Sendable {
  /// In a file of this machine, at the range that was asked for.
  case file(URL)
  /// Elsewhere: exactly those asked for, as fast as they are taken, once.
  case pieces(any AsyncSequence<[UInt8], any Error> & Sendable)
}

/// The folder of files that no row names, in a home: `trash/<day>/<folder>/<name>`. The row may be in another database than
/// the one the server was started with, so they wait here, and an operator can move them back.
package let trashFolder = "trash"

/// Where a home has the id of its installation, beside the folders.
package let installationName = "installation"

/// Whether a text has the form of a day of the trash, `2026-11-23`. What else lies there is not ours to remove.
package func isDay(_ text: some StringProtocol) -> Bool {
  text.utf8.count == 10
    && text.utf8.enumerated().allSatisfy { index, byte in
      index == 4 || index == 7 ? byte == UInt8(ascii: "-") : (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
    }
}
