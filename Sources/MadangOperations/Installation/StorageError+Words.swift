import Storage

extension StorageError {
  /// The error for operators, with its cure. Messages of engines may quote data: for terminals and logs, not for replies.
  package var words: String {
    let cure = code == .diskFull ? "make room on the disk of the database (docs/operate.md, Disk), and try again" : cure
    return message + (cure.map { "\n\($0)" } ?? "")
  }
}
