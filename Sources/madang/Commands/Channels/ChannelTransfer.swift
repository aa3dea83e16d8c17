import ArgumentParser
import MadangAPI
import MadangClient

struct ChannelTransfer: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "transfer", abstract: "Make another member of your channel its owner.",
    usage: "madang channel transfer <channel> <member> [--yes] [options]",
    discussion: "You stay a member. The default channel belongs to the owner of the workspace.")

  @OptionGroup var connection: ConnectionOptions
  @OptionGroup var place: WorkspaceOption
  @OptionGroup var confirmation: ConfirmationOption
  @Argument(help: ArgumentHelp("The channel's name.", valueName: "#channel")) var channel: String
  @Argument(help: ArgumentHelp("The new owner.", valueName: "@nickname-or-email")) var member: String

  func run() async throws {
    try await connection.withPerson { person in
      let workspace = try await person.workspace(place.workspace)
      let channel = try await person.channel(channel, in: workspace)
      let owner = try await person.member(member, of: workspace)
      try confirmation.confirm("Make @\(owner.nickname) the owner of #\(channel.name)?")
      let handedOver = try await person.client.handOverChannel(
        channel.channelID, in: workspace.workspaceID, to: owner.userID)
      try person.show(handedOver, in: workspace)
      person.output.note("@\(owner.nickname) now owns #\(channel.name).")
    }
  }
}
