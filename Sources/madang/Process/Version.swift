/// The version of this program.
enum Version {
  /// The output of `madang --version`. Raised with each release.
  static let text = "0.1.0"
}
