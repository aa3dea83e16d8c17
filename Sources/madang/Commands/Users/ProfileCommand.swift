import ArgumentParser

struct ProfileCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "profile", abstract: "Your account as others see it.",
    subcommands: [ProfileShow.self, ProfileEdit.self], defaultSubcommand: ProfileShow.self)
}
