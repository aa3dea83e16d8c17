import ArgumentParser
import Foundation

/// The source of a password. Never an argument, because other users of the machine could read it.
struct PasswordOptions: ParsableArguments {
  @Option(help: ArgumentHelp("Read the password from the first line of a file.", valueName: "path"))
  var passwordFile: String?

  @Flag(help: "Read the password from the first line of standard input.")
  var passwordStdin = false

  mutating func validate() throws {
    if passwordFile != nil, passwordStdin {
      throw ValidationError("Give one of --password-file and --password-stdin.")
    }
  }

  /// - Parameter twice: Whether a typed password must be repeated.
  func password(twice: Bool) throws -> String {
    if passwordStdin { return readLine(strippingNewline: true) ?? "" }
    guard let passwordFile else { return try Self.typed(twice: twice) }
    return try Self.firstLine(of: passwordFile)
  }

  /// The password that a file has as its first line.
  static func firstLine(of file: String) throws -> String {
    guard let data = FileManager.default.contents(atPath: file) else { throw Failure("\(file) cannot be read") }
    let text = String(decoding: data, as: UTF8.self)
    return text.split(separator: "\n", maxSplits: 1, omittingEmptySubsequences: false).first.map {
      String($0.hasSuffix("\r") ? $0.dropLast() : $0)
    } ?? ""
  }

  private static func typed(twice: Bool) throws -> String {
    guard isatty(STDIN_FILENO) == 1 else {
      throw ValidationError("There is no terminal to ask for the password: give --password-file or --password-stdin.")
    }
    let password = try Terminal.readSecret("Password: ")
    if twice, try Terminal.readSecret("Again: ") != password { throw Failure("the two passwords differ") }
    return password
  }
}
