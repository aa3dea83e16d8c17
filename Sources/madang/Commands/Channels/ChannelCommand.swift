import ArgumentParser

struct ChannelCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "channel", abstract: "Channels of the current workspace.",
    subcommands: [
      ChannelList.self, ChannelMine.self, ChannelCreate.self, ChannelShow.self, ChannelMembers.self, ChannelEdit.self,
      ChannelTransfer.self, ChannelLeave.self, ChannelDelete.self,
    ])
}
