import ArgumentParser
import MadangCore

struct AdminSettings: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "settings", abstract: "List the settings, and where each comes from; secrets hidden.",
    usage: "madang admin settings [<part of a key>] [options]",
    discussion: """
      As a server that is started now, with the same options, environment and file, would have them. A running one takes those that are \
      'live' when it gets SIGHUP ('systemctl reload madang'), and the others when it is started again.
      """)

  @OptionGroup var options: AdminOptions
  @Argument(help: ArgumentHelp("Only settings with this in their key.", valueName: "part of a key")) var part = ""
  @Flag(help: "Only settings that are not left at their defaults.") var given = false

  func run() async throws {
    let loaded = try await options.wording { try await options.loaded() }
    let settings = loaded.list.map(ListedSetting.init).filter {
      (part.isEmpty || $0.key.contains(part)) && !(given && $0.source == "default")
    }
    if settings.isEmpty, !given {
      let guess = Spelling.nearest(to: part, among: loaded.list.map(\.key)).map { "; did you mean \($0)?" } ?? ""
      throw Failure("no setting is called \(part)\(guess); 'madang admin settings' lists all of them")
    }
    try options.printing.output.list(
      settings,
      [
        Column("SETTING", \.key), Column("VALUE", \.value), Column("FROM", \.source),
        Column("LIVE") { $0.isLive ? "live" : "" }, Column("SAYS", \.help),
      ], empty: "There is no such setting.")
  }
}

private struct ListedSetting: Encodable {
  let key: String
  let value: String
  let source: String
  let isLive: Bool
  let help: String

  init(_ setting: Setting) {
    (key, help, isLive) = (setting.key, setting.help, setting.isLive)
    (value, source) = (setting.shown, setting.source ?? "default")
  }
}
