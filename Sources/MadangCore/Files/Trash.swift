import Foundation
import Storage

/// Files that no row names wait here before they are removed: the row may be in another database than the one the
/// server was started with. `<root>/trash/<day>/<folder>/<name>`, so that an operator can move them back.
///
/// The day is the one of the injected clock, in UTC, and a day's folder goes as a whole: no file times are needed.
extension FileStore {
  static let trash = "trash"

  /// Moves files to today's folder of the trash. Throws if one could not be moved; the others are.
  func moveToTrash(_ paths: [String]) async throws {
    let today = root.appending(path: Self.trash).appending(path: day(clock.now))
    try await workers.run {
      for folder in Set(paths.map { $0.prefix { $0 != "/" } }) {
        try FileManager.default.createDirectory(
          at: today.appending(path: String(folder)), withIntermediateDirectories: true)
      }
      var problem: POSIXError?
      for path in paths where rename(url(path).path, today.appending(path: path).path) != 0 && errno != ENOENT {
        problem = POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO)
      }
      if let problem { throw problem }
    }
  }

  /// Removes what came to the trash more than `days` whole days ago, `page` files at a time.
  func emptyTrash(after days: Int, page: Int) async throws {
    let first = day(clock.now - Int64(days) * 86_400_000)
    let trash = root.appending(path: Self.trash)
    guard let days = try? await workers.run({ try DirectoryNames(trash) }) else { return }
    while let some = try await workers.run({ days.next(page) }) {
      for day in some where isDay(day) && day < first { try await remove(trash.appending(path: day), page: page) }
    }
  }

  /// Removes a directory with its files; not all at once, because others wait for the store's threads.
  private func remove(_ directory: URL, page: Int) async throws {
    for folder in FileFolder.allCases.map({ directory.appending(path: $0.rawValue) }) {
      guard let names = try? await workers.run({ try DirectoryNames(folder) }) else { continue }
      while let some = try await workers.run({ names.next(page) }) {
        try await workers.run {
          for name in some { try FileManager.default.removeItem(at: folder.appending(path: name)) }
        }
      }
    }
    try await workers.run { try FileManager.default.removeItem(at: directory) }
  }
}

/// The UTC day of a time in milliseconds since 1970, like `2026-11-23`.
func day(_ time: Int64) -> String {
  Date(timeIntervalSince1970: Double(time) / 1000).formatted(.iso8601.year().month().day())
}

/// Whether a text has the form that ``day(_:)`` gives. What else lies in the trash is not ours to remove.
func isDay(_ text: some StringProtocol) -> Bool {
  text.utf8.count == 10
    && text.utf8.enumerated().allSatisfy { index, byte in
      index == 4 || index == 7 ? byte == UInt8(ascii: "-") : (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
    }
}
