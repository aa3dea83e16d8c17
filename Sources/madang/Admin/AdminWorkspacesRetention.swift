import ArgumentParser
import MadangOperations

struct AdminWorkspacesRetention: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "retention", abstract: "Set how long a workspace keeps chats and files.",
    usage: "madang admin workspaces retention <workspace> [options]",
    discussion: """
      Without days, shows them. Older chats and files are deleted within an hour, for ever. With --default the workspace uses the settings \
      retention.chats.days and retention.files.days again.
      """)

  @OptionGroup var options: AdminOptions
  @OptionGroup var confirmation: ConfirmationOption
  @OptionGroup var place: WorkspaceArgument
  @Option(help: ArgumentHelp("Days to keep chats; 0 for ever.", valueName: "days")) var chatDays: Int64?
  @Option(help: ArgumentHelp("Days to keep files of chats; 0 for ever.", valueName: "days")) var fileDays: Int64?
  @Flag(name: .customLong("default"), help: "Use the days of the settings again.") var goesByDefault = false

  func validate() throws {
    for days in [chatDays, fileDays] where days.map({ !(0...36_500).contains($0) }) ?? false {
      throw ValidationError("Days must be from 0 (for ever) to 36500.")
    }
    if goesByDefault, chatDays != nil || fileDays != nil {
      throw ValidationError("Give days, or --default.")
    }
  }

  func run() async throws {
    try await options.withData { administration, output in
      let now = try await administration.workspace(place.name)
      guard goesByDefault || chatDays != nil || fileDays != nil else { return try output.show(now) }
      let chats = goesByDefault ? nil : chatDays ?? now.chatDays
      let files = goesByDefault ? nil : fileDays ?? now.fileDays
      try confirmation.confirm(
        "'\(now.name)': keep chats \(chats.kept) (now \(now.chatDays.kept)), files \(files.kept) (now \(now.fileDays.kept))?"
      )
      try output.show(try await administration.setRetention(of: place.name, chats: chats, files: files))
    }
  }
}
