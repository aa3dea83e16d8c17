import ArgumentParser

/// A number or a length of time with a minus, such as `-1` or `-1h`: no command takes one, and it would be read as options, with
/// `-h` for help.
enum NegativeNumber {
  /// Throws `ValidationError` for the first one that is not behind `--`.
  static func refuse(in arguments: some Sequence<String>) throws {
    let found = arguments.prefix { $0 != "--" }.first {
      // Nearly no argument begins so, and a first regular expression costs a start's milliseconds.
      $0.hasPrefix("-") && $0.dropFirst().first?.isWholeNumber == true
        && $0.wholeMatch(of: /-[0-9][0-9.]*[a-z]*/) != nil
    }
    guard let found else { return }
    let cure =
      found.last?.isLetter ?? false
      ? "is no length of time: write it without -, like 500ms, 90s, 25h or 3d. 'madang dev clock set' sets a clock back."
      : "is less than 0, and no command takes such a number."
    throw ValidationError("'\(found)' \(cure) A text that begins with - stands behind --.")
  }
}
