import MadangAPI
import MadangCore

// The domain's objects in the form of edition 2024-10.

typealias Wire = Edition2024_10

func wirePath(_ stored: String) -> String { StoredPath.prefix + stored }

private func picture(_ stored: String?, default folder: FileFolder) -> String {
  wirePath(stored ?? "\(folder.rawValue)/\(FileStore.defaultPicture)")
}

extension Wire.Member {
  init(_ person: Person) {
    self.init(
      userID: person.id.uuid, email: person.email, nickname: person.nickname,
      profileImage: person.picture.map(wirePath))
  }
}

extension Wire.Login {
  init(_ signedIn: SignedIn, accessToken: String) {
    let account = signedIn.account
    let member = Wire.Member(account.person)
    self.init(
      userID: member.userID, email: member.email, nickname: member.nickname, profileImage: member.profileImage,
      phone: account.phone, provider: account.signInMethod, createdAt: WireDate.string(account.createdAt),
      token: .init(accessToken: accessToken, refreshToken: signedIn.refreshToken))
  }
}

extension Wire.Me {
  init(_ account: Account) {
    let member = Wire.Member(account.person)
    self.init(
      userID: member.userID, email: member.email, nickname: member.nickname, profileImage: member.profileImage,
      phone: account.phone, provider: account.signInMethod, sesacCoin: account.coins,
      createdAt: WireDate.string(account.createdAt))
  }
}

extension Wire.Workspace {
  init(_ workspace: Workspace) {
    self.init(
      workspaceID: workspace.id.uuid, name: workspace.name, description: workspace.description,
      coverImage: picture(workspace.cover, default: .workspaceCoverImages), ownerID: workspace.owner.uuid,
      createdAt: WireDate.string(workspace.createdAt))
  }
}

extension Wire.WorkspaceDetail {
  init(_ detail: WorkspaceDetail) {
    let workspace = Wire.Workspace(detail.workspace)
    self.init(
      workspaceID: workspace.workspaceID, name: workspace.name, description: workspace.description,
      coverImage: workspace.coverImage, ownerID: workspace.ownerID, createdAt: workspace.createdAt,
      channels: detail.channels.map(Wire.Channel.init), workspaceMembers: detail.members.map(Wire.Member.init))
  }
}

extension Wire.Channel {
  init(_ channel: Channel) {
    self.init(
      channelID: channel.id.uuid, name: channel.name, description: channel.description,
      coverImage: picture(channel.cover, default: .channelCoverImages), ownerID: channel.owner.uuid,
      createdAt: WireDate.string(channel.createdAt))
  }
}

extension Wire.ChannelDetail {
  init(_ detail: ChannelDetail) {
    let channel = Wire.Channel(detail.channel)
    self.init(
      channelID: channel.channelID, name: channel.name, description: channel.description,
      coverImage: channel.coverImage, ownerID: channel.ownerID, createdAt: channel.createdAt,
      channelMembers: detail.members.map(Wire.Member.init))
  }
}

extension Wire.DMRoom {
  init(_ room: DirectMessage) {
    self.init(roomID: room.id.uuid, createdAt: WireDate.string(room.createdAt), user: .init(room.other))
  }
}

extension Wire.ChannelChat {
  init(_ chat: Chat) {
    self.init(
      channelID: chat.room.id.uuid, channelName: chat.room.name, chatID: chat.id.uuid, content: chat.content,
      createdAt: WireDate.string(chat.createdAt), files: chat.files.map(wirePath), user: .init(chat.author))
  }
}

extension Wire.DMChat {
  init(_ chat: Chat) {
    self.init(
      dmID: chat.id.uuid, roomID: chat.room.id.uuid, content: chat.content,
      createdAt: WireDate.string(chat.createdAt), files: chat.files.map(wirePath), user: .init(chat.author))
  }
}

extension Wire.ChannelUnread {
  init(_ unread: Unread) {
    let id = unread.room.id.uuid
    self.init(channelID: id, name: unread.room.name, count: unread.count, roomID: id)
  }
}

extension Wire.DMUnread {
  init(_ unread: Unread) { self.init(roomID: unread.room.id.uuid, count: unread.count) }
}
