import ArgumentParser
import MadangAPI
import MadangClient

struct ChannelTransfer: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "transfer", abstract: "Make another member of your channel its owner.",
    usage: "madang channel transfer <channel> <member> [--yes] [options]",
    discussion: "You stay a member. The default channel belongs to the owner of the workspace.")

  @OptionGroup var target: ChannelOptions
  @OptionGroup var confirmation: ConfirmationOption
  @Argument(help: ArgumentHelp("The new owner.", valueName: "@nickname-or-email")) var member: String

  func run() async throws {
    try await target.withChannel { person, workspace, channel in
      let owner = try await person.member(member, of: workspace)
      try confirmation.confirm("Make @\(owner.nickname) the owner of #\(channel.name)?")
      let handedOver = try await person.client.handOverChannel(
        channel.channelID, in: workspace.workspaceID, to: owner.userID)
      try person.show(handedOver, in: workspace)
      person.output.note("@\(owner.nickname) now owns #\(channel.name).")
    }
  }
}
