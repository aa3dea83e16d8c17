import ArgumentParser

struct AdminWebCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "web", abstract: "Administrators of the console in a browser.",
    discussion: """
      The console is at /admin/ of the server if the setting 'web.admin' is true. 'madang admin web' prints a link that adds one \
      administrator, with name, password and an authenticator app.
      """,
    subcommands: [AdminWebLink.self, AdminWebList.self, AdminWebRemove.self], defaultSubcommand: AdminWebLink.self)
}
