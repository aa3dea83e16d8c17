import MadangServer

extension Setting {
  static let workspaces: [Setting] = [
    integer("coins.signup", "coins of a new account", \.settings.signUpCoins),
    integer("coins.workspace", "coins that making a workspace costs", \.settings.workspacePrice),
    text("channel.default", "name of the channel that new workspaces come with", \.settings.defaultChannelName),
  ]
}
