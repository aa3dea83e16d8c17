import Foundation
import MadangClient
import Synchronization

/// Shows the progress of an upload on one line of standard error, which is removed at the end. Prints nothing without a terminal.
final class UploadBar: Sendable {
  private let label: String
  private let width: Int
  private let drawn = Mutex("")

  private init(_ label: String, width: Int) {
    self.label = label
    self.width = width
  }

  /// Runs an upload of at most one file and shows its progress.
  static func following<Result>(_ upload: Upload?, _ work: (UploadProgress?) async throws -> Result) async throws
    -> Result
  {
    try await following(upload.map { [$0] } ?? [], work)
  }

  /// Runs an upload of several files and shows their common progress.
  static func following<Result>(_ uploads: [Upload], _ work: (UploadProgress?) async throws -> Result) async throws
    -> Result
  {
    guard let first = uploads.first, let width = Terminal.messageWidth else { return try await work(nil) }
    let bar = UploadBar(uploads.count == 1 ? first.name : "\(uploads.count) files", width: width)
    defer { bar.erase() }
    return try await work { sent, total in bar.draw(sent, total) }
  }

  private func draw(_ sent: Int, _ total: Int) {
    let line = Self.line(label, sent: sent, total: total, width: width)
    // Drawn under the lock, so that lines stay in order; a chunk that changes nothing draws nothing.
    drawn.withLock { drawn in
      guard line != drawn else { return }
      drawn = line
      Terminal.overwrite(line)
    }
  }

  private func erase() {
    drawn.withLock { drawn in
      if !drawn.isEmpty { Terminal.overwrite("") }
      drawn = ""
    }
  }

  /// One line of at most `width` columns: `photo.png  [#####-----]  50%  1.0 of 2.0 MB`.
  static func line(_ label: String, sent: Int, total: Int, width: Int) -> String {
    let share = total > 0 ? min(1, Double(sent) / Double(total)) : 1
    let percent = "\(Int(share * 100))%"
    let tail =
      "  \(String(repeating: " ", count: 4 - percent.count))\(percent)  \(megabytes(sent)) of \(megabytes(total)) MB"
    let name = label.printable.replacing("\n", with: " ").fitted(to: max(8, min(label.columns, width / 3)))
    let room = max(4, width - name.columns - tail.columns - 5)
    let full = Int(share * Double(room))
    return "\(name)  [\(String(repeating: "#", count: full))\(String(repeating: "-", count: room - full))]\(tail)"
  }

  private static func megabytes(_ bytes: Int) -> String {
    let tenths = (bytes * 10 + 500_000) / 1_000_000
    return "\(tenths / 10).\(tenths % 10)"
  }
}
