import ArgumentParser
import MadangDevelopment

/// How long the server is asked to wait, or an answer may take, in the server's notation: `500ms`, `5s`, `1m`, or a number of seconds.
enum WaitTime {
  /// - Parameter option: The option as it is typed, such as `--wait`.
  /// - Throws: `ValidationError` for an invalid duration, one below `shortest`, or one longer than a server waits.
  static func read(_ text: String, of option: String, atLeast shortest: Duration = .zero) throws -> Duration {
    do {
      return try GivenTime.duration(text, of: option, atLeast: shortest, limit: Journal.maxWait)
    } catch {
      throw ValidationError("\(error.error).")
    }
  }
}
