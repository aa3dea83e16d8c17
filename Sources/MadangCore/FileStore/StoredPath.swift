import Foundation
import Storage

// Paths come from rows, and rows may come from an untrusted backup. Each path is validated before it is used.

extension FileStore {
  /// Whether a text has the form of a stored file's path, `<folder>/<name>`, and cannot lead out of the folder.
  package static func isPath(_ text: String) -> Bool {
    // Compares bytes, like the system: a slash with a combining accent is another Character.
    let parts = text.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
    guard parts.count == 2, let folder = String(parts[0]),
      FileFolder(rawValue: folder) != nil
    else { return false }
    return parts[1].first != nil && parts[1].first != UInt8(ascii: ".") && !parts[1].contains(0)
  }

  /// Throws `Failure(.notFound)` unless the text has the form of a stored file's path.
  package static func requirePath(_ text: String) throws {
    guard isPath(text) else { throw Failure(.notFound, "no such file") }
  }

  /// The path that clients see: it has the name of a document, then an underscore, in front of the file name.
  static func shownPath(of path: String, named name: DocumentName?) -> String {
    guard let name, let slash = path.firstIndex(of: "/") else { return path }
    return "\(path[...slash])\(name.encoded)_\(path[path.index(after: slash)...])"
  }

  /// The two files that a path of a request, percent-decoded once, may name. Either `path` is a stored file, or `document.path` is a stored
  /// document with the name `document.name`.
  static func meant(by path: String) throws -> (path: String, document: (path: String, name: Substring)?) {
    try requirePath(path)
    guard let slash = path.firstIndex(of: "/"), let end = path.lastIndex(of: "_"), end > slash else {
      return (path, nil)
    }
    let stored = "\(path[...slash])\(path[path.index(after: end)...])"
    return (path, isPath(stored) ? (stored, path[path.index(after: slash)..<end]) : nil)
  }

  /// The name of a document, with its extension, as clients show it; nil for images and for documents that earlier versions stored.
  /// - Parameter path: As clients see it.
  package static func documentName(ofShown path: String) -> String? {
    guard let dot = path.lastIndex(of: "."), let slash = path.lastIndex(of: "/"), slash < dot,
      MediaType(fileExtension: path[path.index(after: dot)...])?.isImage == false
    else { return nil }
    let base = path[path.index(after: slash)..<dot]
    let name = base.lastIndex(of: "_").map { base[..<$0] } ?? base
    return (String(name).removingPercentEncoding ?? String(name)) + path[dot...]
  }

  /// Columns with the path of a picture, or null.
  static let pictureColumns = [
    (table: "users", column: "profile_image"), (table: "workspaces", column: "cover_image"),
    (table: "channels", column: "cover_image"),
  ]

  /// All columns with the path of a stored file.
  static let pathColumns =
    pictureColumns + [(table: "files", column: "path"), (table: "file_removals", column: "path")]
}

extension StoredFile {
  /// The path that clients see; ``path`` is the path in storage.
  package var shownPath: String { FileStore.shownPath(of: path, named: name) }

  /// The last part of ``shownPath``. Its characters need no encoding in headers.
  package var shownName: String { String(shownPath.drop { $0 != "/" }.dropFirst()) }
}
