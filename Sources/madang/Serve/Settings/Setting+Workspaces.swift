import MadangServer

extension Setting {
  static let workspaces: [Setting] = [
    integer("coins.signup", "coins of a new account", \.settings.signUpCoins).live,
    integer("coins.workspace", "coins that making a workspace costs", \.settings.workspacePrice).live,
    text("channel.default", "name of the channel that new workspaces come with", \.settings.defaultChannelName).live,
    integer(
      "quota.workspaces", "workspaces that one account may own; 0 for any number", \.settings.accountWorkspaceQuota
    ).live,
    integer(
      "quota.channels", "channels of a workspace, where nothing else is set for it; 0 for any number",
      \.settings.workspaceChannelQuota
    ).live,
    integer(
      "quota.members", "members of a workspace, where nothing else is set for it; 0 for any number",
      \.settings.workspaceMemberQuota
    ).live,
    integer(
      "quota.files", "bytes of all files in the chats of a workspace, where nothing else is set for it; 0 for any",
      \.settings.workspaceFileQuota
    ).live,
    integer(
      "announcements.rate", "channels in a second in which an announcement is posted; 0 for as many as it can",
      \.settings.announcementRate, 0...10_000
    ).live,
    integer(
      "retention.chats.days", "days chats are kept, where a workspace says nothing else; 0 for ever",
      \.settings.chatDays, 0...36_500
    ).live,
    integer("retention.files.days", "the same of the files of chats", \.settings.fileDays, 0...36_500).live,
    text(
      "retention.files.text", "what a chat without text says when its files are gone", \.settings.expiredFilesText
    ).live,
    text(
      "moderation.text", "what stands in place of a chat that was taken away", \.settings.removedChatText
    ).live,
  ]
}
