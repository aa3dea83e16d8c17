import Foundation

/// The licences of the program and of all that is linked into it: the output of `madang --version --licences`.
enum Licences {
  /// The arguments that ask for them, in any order.
  static let arguments: Set = ["--version", "--licences"]

  /// Of a package or a tarball: the file beside the program. A program that was built from source has none.
  static var text: String {
    let own = "madang \(Version.text) is under the MIT License.\n"
    guard let file, let text = try? String(contentsOf: file, encoding: .utf8) else {
      return own
        + """
        This program was built from source: the licences of the packages that are linked into it are in .build/checkouts. Packages of \
        Madang have all of them in share/doc/madang/copyright.

        """
    }
    return own + "\n" + text
  }

  private static var file: URL? {
    Bundle.main.executableURL?.resolvingSymlinksInPath().deletingLastPathComponent()
      .appending(path: "../../share/doc/madang/copyright").standardizedFileURL
  }
}
