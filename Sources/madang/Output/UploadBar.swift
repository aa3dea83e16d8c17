import Foundation
import MadangClient

/// Shows the progress of an upload on a line of standard error.
enum UploadBar {
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
    guard let first = uploads.first else { return try await work(nil) }
    let label = uploads.count == 1 ? first.name : "\(uploads.count) files"
    return try await StatusLine.with { status in
      guard let status else { return try await work(nil) }
      return try await work { status.draw(line(label, sent: $0, total: $1, width: status.width)) }
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
