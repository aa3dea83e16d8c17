import Storage

// Paths come from rows, and rows may come from somebody else's backup: each is looked at before it leads anywhere.

extension FileStore {
  /// Whether a text has the form of a stored file's path, `<folder>/<name>`, which leads nowhere but into the folder.
  package static func isPath(_ text: String) -> Bool {
    // Bytes, as the system reads them: a slash with an accent is another Character.
    let parts = text.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
    guard parts.count == 2, let folder = String(parts[0]),
      FileFolder(rawValue: folder) != nil
    else { return false }
    return parts[1].first != nil && parts[1].first != UInt8(ascii: ".") && !parts[1].contains(0)
  }

  /// Throws `Failure(.notFound)` if a text has not the form of a stored file's path: no file has it.
  package static func requirePath(_ text: String) throws {
    guard isPath(text) else { throw Failure(.notFound, "no such file") }
  }

  /// The columns that hold the path of a picture, or null.
  static let pictureColumns = [
    (table: "users", column: "profile_image"), (table: "workspaces", column: "cover_image"),
    (table: "channels", column: "cover_image"),
  ]

  /// All columns that hold the path of a stored file.
  static let pathColumns =
    pictureColumns + [(table: "files", column: "path"), (table: "file_removals", column: "path")]
}
