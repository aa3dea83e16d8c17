import ArgumentParser
import MadangOperations

struct AdminWebLink: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "link", abstract: "Print a link that adds an administrator.",
    usage: "madang admin web [options]",
    discussion: """
      The link is valid once, for 30 minutes, and does not end earlier links. Send it on a way that only its reader sees. It begins \
      with the setting 'public.url'; without that it is for a browser on this machine.
      """)

  @OptionGroup var options: AdminOptions

  func run() async throws {
    try await options.withData { administration, output in
      let made = try await administration.makeAdministratorLink()
      try output.object(
        made, [("link", made.link), ("until", "\(LocalTime(made.expiresAt).day) \(LocalTime(made.expiresAt).time)")])
    }
  }
}
