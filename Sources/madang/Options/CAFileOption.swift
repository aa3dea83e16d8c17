import ArgumentParser
import MadangClient

/// Certificate authorities that a command trusts at the server it calls.
struct CAFileOption: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Certificate authorities to trust in addition to the system's, in PEM (default: MADANG_CA_FILE).",
      valueName: "file"), completion: .file())
  var caFile: String?

  /// Nil for none.
  var path: String? { caFile ?? Environment.current.caFile }

  /// Nil for none. Throws ``Failure`` if the file cannot be used.
  var authorities: Authorities? {
    get throws {
      do { return try path.map { try Authorities(file: $0) } } catch { throw Failure("--ca-file: \(error)") }
    }
  }
}
