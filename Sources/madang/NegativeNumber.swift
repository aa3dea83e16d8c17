import ArgumentParser

/// A negative number or duration, such as `-1` or `-1h`. No command takes one, and the parser would read it as options, including `-h` for
/// help.
enum NegativeNumber {
  /// Throws `ValidationError` for the first one that does not follow `--`.
  static func refuse(in arguments: some Sequence<String>) throws {
    let found = arguments.prefix { $0 != "--" }.first {
      // This cheap test comes first, because the first regular expression costs milliseconds at start.
      $0.hasPrefix("-") && $0.dropFirst().first?.isWholeNumber == true
        && $0.wholeMatch(of: /-[0-9][0-9.]*[a-z]*/) != nil
    }
    guard let found else { return }
    let cure =
      found.last?.isLetter ?? false
      ? "is not a length of time: write it without -, like 500ms, 90s, 25h or 3d. 'madang dev clock set' sets a clock back."
      : "is less than 0, and no command takes such a number."
    throw ValidationError("'\(found)' \(cure) Write a text that begins with - after --.")
  }
}
