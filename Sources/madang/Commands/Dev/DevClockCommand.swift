import ArgumentParser

struct DevClockCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "clock", abstract: "The time of a server or a world.",
    subcommands: [
      DevClockShow.self, DevClockSet.self, DevClockAdvance.self, DevClockFreeze.self, DevClockResume.self,
      DevClockRate.self,
    ], defaultSubcommand: DevClockShow.self)
}
