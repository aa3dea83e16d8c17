import ArgumentParser
import MadangDevelopment
import MadangServer

/// How long a command has a server wait, as the server reads it: `500ms`, `5s`, `1m`.
enum WaitTime {
  /// - Parameter option: As it is typed, such as `--wait`.
  /// - Throws: `ValidationError` for what is no time, shorter than `shortest`, or longer than a server waits.
  static func read(_ text: String, of option: String, atLeast shortest: Duration = .zero) throws -> Duration {
    do {
      return try WaitText.duration(text, of: option, atLeast: shortest, limit: Journal.maxWait)
    } catch {
      throw ValidationError("\(error.error).")
    }
  }
}
