import ArgumentParser
import MadangOperations

struct AdminCertificateStatus: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "status", abstract: "Show the certificate, and when it is renewed.",
    usage: "madang admin certificate status [options]")

  @OptionGroup var options: AdminOptions

  func run() async throws { try await options.withData { try $1.show(try await $0.certificate()) } }
}
