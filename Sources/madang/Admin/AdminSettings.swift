import ArgumentParser
import MadangCore
import MadangOperations

struct AdminSettings: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "settings", abstract: "List the settings, and where each comes from; secrets hidden.",
    usage: "madang admin settings [<part of a key>] [options]",
    discussion: """
      Shows the settings of a server that is started now with the same options, environment and file. A running server applies the \
      'live' ones at SIGHUP ('systemctl reload madang'), and the others at its next start.
      """)

  @OptionGroup var options: AdminOptions
  @Argument(help: ArgumentHelp("Only settings whose key contains this.", valueName: "part of a key")) var part = ""
  @Flag(help: "Only settings that differ from their defaults.") var given = false

  func run() async throws {
    let loaded = try await options.wording { try await options.loaded(from: try options.file()) }
    let settings = loaded.list.map(ListedSetting.init).filter {
      (part.isEmpty || $0.key.contains(part)) && !(given && $0.source == "default")
    }
    if settings.isEmpty, !given {
      let guess = Spelling.guess(part, among: loaded.list.map(\.key))
      throw Failure("no setting is called \(part)\(guess); 'madang admin settings' lists all of them")
    }
    try options.printing.output.list(
      settings,
      [
        Column("SETTING", \.key), Column("VALUE", \.value), Column("FROM", \.source),
        Column("LIVE") { $0.isLive ? "live" : "" }, Column("SAYS", \.help),
      ], empty: "No setting matches.")
  }
}
