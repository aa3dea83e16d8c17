import Foundation
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

  /// The path under which clients see a stored file: with the name of a document before an underscore.
  static func shownPath(of path: String, named name: DocumentName?) -> String {
    guard let name, let slash = path.firstIndex(of: "/") else { return path }
    return "\(path[...slash])\(name.encoded)_\(path[path.index(after: slash)...])"
  }

  /// The paths of the two files that a path of a request, percent-decoded once, may mean: it is the first one's, or the second one is
  /// a document whose name is `name`.
  static func meant(by path: String) throws -> (path: String, document: (path: String, name: Substring)?) {
    try requirePath(path)
    guard let slash = path.firstIndex(of: "/"), let end = path.lastIndex(of: "_"), end > slash else {
      return (path, nil)
    }
    let stored = "\(path[...slash])\(path[path.index(after: end)...])"
    return (path, isPath(stored) ? (stored, path[path.index(after: slash)..<end]) : nil)
  }

  /// The name that a document has at its clients, with its extension; nil for images. Documents of earlier versions have none.
  /// - Parameter path: As clients see it.
  package static func documentName(ofShown path: String) -> String? {
    guard let dot = path.lastIndex(of: "."), let slash = path.lastIndex(of: "/"), slash < dot,
      MediaType(fileExtension: path[path.index(after: dot)...])?.isImage == false
    else { return nil }
    let base = path[path.index(after: slash)..<dot]
    let name = base.lastIndex(of: "_").map { base[..<$0] } ?? base
    return (String(name).removingPercentEncoding ?? String(name)) + path[dot...]
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

extension StoredFile {
  /// As clients see it; ``path`` is where it is kept.
  package var shownPath: String { FileStore.shownPath(of: path, named: name) }

  /// The last part of ``shownPath``, of characters that a header takes as they are.
  package var shownName: String { String(shownPath.drop { $0 != "/" }.dropFirst()) }
}
