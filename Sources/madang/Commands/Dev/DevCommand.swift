import ArgumentParser

struct DevCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "dev", abstract: "Worlds, clock, faults and people of a server for tests.",
    discussion: """
      Talks to a server in development mode ('madang serve --dev'): --url, MADANG_DEV_URL, else http://127.0.0.1:8080. \
      What is of one server is asked of that one, or with --world of a world in its process. docs/reference/dev.md says more.
      """,
    subcommands: [
      DevWorldsCommand.self,
      DevSeedCommand.self,
      DevClockCommand.self,
      DevFaultsCommand.self,
      DevRestart.self,
      DevPeopleCommand.self,
      DevScriptsCommand.self,
      DevJournalCommand.self,
      DevExpect.self,
      DevPushesCommand.self,
      DevMailsCommand.self,
      DevReviewCommand.self,
      DevCoverage.self,
    ])
}
