import MadangAPI
import MadangCore

// The domain's objects in the form of edition 2024-10.

extension Edition2024_10.Member {
  init(_ person: Person) {
    self.init(
      userID: person.id.uuid, email: person.email, nickname: person.nickname,
      profileImage: person.picture.map(wirePath))
  }
}

extension Edition2024_10.Login {
  init(_ signedIn: SignedIn, accessToken: String, _ dates: WireDates) {
    let account = signedIn.account
    let member = Edition2024_10.Member(account.person)
    self.init(
      userID: member.userID, email: member.email, nickname: member.nickname, profileImage: member.profileImage,
      phone: account.phone, provider: account.signInMethod, createdAt: dates.label(account.createdAt),
      token: .init(accessToken: accessToken, refreshToken: signedIn.refreshToken))
  }
}

extension Edition2024_10.Me {
  init(_ account: Account, _ dates: WireDates) {
    let member = Edition2024_10.Member(account.person)
    self.init(
      userID: member.userID, email: member.email, nickname: member.nickname, profileImage: member.profileImage,
      phone: account.phone, provider: account.signInMethod, sesacCoin: account.coins,
      createdAt: dates.label(account.createdAt))
  }
}

extension Edition2024_10.Workspace {
  init(_ workspace: MadangCore.Workspace, _ dates: WireDates) {
    self.init(
      workspaceID: workspace.id.uuid, name: workspace.name, description: workspace.description,
      coverImage: wirePath(workspace.cover, default: .workspaceCoverImages), ownerID: workspace.owner.uuid,
      createdAt: dates.label(workspace.createdAt))
  }
}

extension Edition2024_10.WorkspaceDetail {
  /// Its lists are written page by page.
  init(withoutLists workspace: MadangCore.Workspace, _ dates: WireDates) {
    let workspace = Edition2024_10.Workspace(workspace, dates)
    self.init(
      workspaceID: workspace.workspaceID, name: workspace.name, description: workspace.description,
      coverImage: workspace.coverImage, ownerID: workspace.ownerID, createdAt: workspace.createdAt,
      channels: [], workspaceMembers: [])
  }
}

extension Edition2024_10.Channel {
  init(_ channel: MadangCore.Channel, _ dates: WireDates) {
    self.init(
      channelID: channel.id.uuid, name: channel.name, description: channel.description,
      coverImage: wirePath(channel.cover, default: .channelCoverImages), ownerID: channel.owner.uuid,
      createdAt: dates.label(channel.createdAt))
  }
}

extension Edition2024_10.ChannelDetail {
  /// Its members are written page by page.
  init(withoutMembers channel: MadangCore.Channel, _ dates: WireDates) {
    let channel = Edition2024_10.Channel(channel, dates)
    self.init(
      channelID: channel.channelID, name: channel.name, description: channel.description,
      coverImage: channel.coverImage, ownerID: channel.ownerID, createdAt: channel.createdAt,
      channelMembers: [])
  }
}

extension Edition2024_10.DMRoom {
  init(_ room: DirectMessage, _ dates: WireDates) {
    self.init(roomID: room.id.uuid, createdAt: dates.label(room.createdAt), user: .init(room.other))
  }
}

extension Edition2024_10.ChannelChat {
  init(_ chat: Chat, _ dates: WireDates) {
    self.init(
      channelID: chat.room.id.uuid, channelName: chat.room.name, chatID: chat.id.uuid, content: chat.content,
      createdAt: dates.label(chat.createdAt), files: chat.files.map(wirePath), user: .init(chat.author))
  }
}

extension Edition2024_10.DMChat {
  init(_ chat: Chat, _ dates: WireDates) {
    self.init(
      dmID: chat.id.uuid, roomID: chat.room.id.uuid, content: chat.content,
      createdAt: dates.label(chat.createdAt), files: chat.files.map(wirePath), user: .init(chat.author))
  }
}

extension Edition2024_10.ChannelUnread {
  init(_ unread: Unread) {
    let id = unread.room.id.uuid
    self.init(channelID: id, name: unread.room.name, count: unread.count, roomID: id)
  }
}

extension Edition2024_10.DMUnread {
  init(_ unread: Unread) { self.init(roomID: unread.room.id.uuid, count: unread.count) }
}
