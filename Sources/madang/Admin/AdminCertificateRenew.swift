import ArgumentParser
import MadangOperations

struct AdminCertificateRenew: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "renew", abstract: "Let the running server order a new certificate now.",
    usage: "madang admin certificate renew [--revoke] [options]",
    discussion: """
      Within the limits of authorities: a minute after a failed try (after the third one, a quarter of an hour), three times a day, and five \
      certificates for the same names in seven days. If you have to wait, the command says until when.
      """)

  @OptionGroup var options: AdminOptions
  @Flag(help: "Declare the present certificate invalid first: its key may be known to others.") var revoke = false

  func run() async throws {
    try await options.withData { administration, output in
      try output.show(try await administration.renewCertificate(revokes: revoke))
      output.note("A running server orders it at the next try; 'madang admin certificate' shows the outcome.")
    }
  }
}
