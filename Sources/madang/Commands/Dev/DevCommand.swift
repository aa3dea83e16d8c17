import ArgumentParser

struct DevCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "dev", abstract: "Control worlds, clock, faults and people of a test server.",
    discussion: """
      Talks to a server in development mode ('madang serve --dev'): --url, MADANG_DEV_URL, else http://127.0.0.1:8080. \
      Commands act on that server, or with --world on a world in its process. docs/reference/dev.md says more.
      """,
    subcommands: [
      DevWorldsCommand.self,
      DevSeedCommand.self,
      DevClockCommand.self,
      DevFaultsCommand.self,
      DevRestart.self,
      DevPeopleCommand.self,
      DevScriptsCommand.self,
      DevSocketsCommand.self,
      DevJournalCommand.self,
      DevRecord.self,
      DevExpect.self,
      DevPushesCommand.self,
      DevMailsCommand.self,
      DevReviewCommand.self,
      DevCoverage.self,
    ])
}
