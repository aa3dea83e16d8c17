import ArgumentParser
import MadangAPI
import MadangCore
import MadangOperations

struct AdminKeysCreate: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "create", abstract: "Make a key. It is shown only once.",
    usage: "madang admin keys create <label> [--edition <edition>] [options]",
    discussion: """
      For applications that send this key, --registration sets who may create an account, and --approval whether such an \
      account waits for approval, instead of the server's settings.
      """)

  @OptionGroup var options: AdminOptions
  @Argument(help: "A name for the key, such as that of the application.") var label: String
  @Option(help: ArgumentHelp("The edition it is for.", valueName: "2024-10|2024-01")) var edition = "2024-10"

  @Option(
    help: ArgumentHelp("Who may create an account with it (default: as the server).", valueName: "mode"),
    completion: .list(Registration.allCases.map(\.rawValue)))
  var registration: String?

  @Option(
    help: ArgumentHelp(
      "Whether accounts created with it wait for approval (default: as the server).", valueName: "on|off"),
    completion: .list(["on", "off"]))
  var approval: String?

  func validate() throws {
    if let registration, Registration(rawValue: registration) == nil {
      throw ValidationError("--registration must be open, invite, domain or closed.")
    }
    if let approval, !["on", "off"].contains(approval) { throw ValidationError("--approval must be on or off.") }
    if EditionName(rawValue: edition) == nil {
      throw ValidationError(
        "There is no edition '\(edition)': write \(EditionName.allCases.map(\.rawValue).joined(separator: " or ")).")
    }
  }

  func run() async throws {
    guard let edition = EditionName(rawValue: edition) else { return }
    let mode = registration.flatMap { Registration(rawValue: $0) }
    try await options.withData {
      try $1.show(
        try await $0.createKey(
          edition, label: label, registration: mode, needsApproval: approval.map { $0 == "on" }))
    }
  }
}
