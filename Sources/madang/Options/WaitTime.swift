import ArgumentParser
import MadangDevelopment

/// How long a command has a server wait: `500ms`, `5s`, `1m`.
enum WaitTime {
  /// In milliseconds, as the server has it for all that waits.
  private static let longest: Int64 = 60_000

  /// Milliseconds.
  ///
  /// - Parameter option: As it is typed, such as `--wait`.
  /// - Throws: `ValidationError` for what is no length of time, shorter than `shortest` milliseconds, or longer than a minute.
  static func milliseconds(_ text: String, of option: String, shortest: Int64 = 0) throws -> Int64 {
    guard let time = SeedTime.distance(text), (shortest...longest).contains(time) else {
      throw ValidationError("\(option) must be a length of time like 500ms or 5s, up to 60s.")
    }
    return time
  }
}
