/// Which program this is.
enum Version {
  /// As `madang --version` prints it. Raised with each release.
  static let text = "0.1.0"
}
