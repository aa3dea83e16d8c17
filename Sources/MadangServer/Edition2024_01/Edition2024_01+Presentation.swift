import MadangAPI
import MadangCore

// The domain's objects in the form of edition 2024-01.

extension Edition2024_01.User {
  init(_ person: Person) {
    self.init(
      userID: person.id.number, email: person.email, nickname: person.nickname,
      profileImage: person.picture.map { wirePath($0) })
  }
}

extension Edition2024_01.UserDetail {
  init(_ profile: Profile, _ dates: WireDates) {
    let user = Edition2024_01.User(profile.person)
    self.init(
      userID: user.userID, email: user.email, nickname: user.nickname, profileImage: user.profileImage,
      createdAt: dates.label(profile.createdAt))
  }
}

extension Edition2024_01.FlatLogin {
  init(_ signedIn: SignedIn, accessToken: String) {
    let person = signedIn.account.person
    self.init(
      userID: person.id.number, nickname: person.nickname, accessToken: accessToken,
      refreshToken: signedIn.refreshToken)
  }
}

extension Edition2024_01.UserWithToken {
  init(_ signedIn: SignedIn, accessToken: String, _ dates: WireDates) {
    let account = signedIn.account
    let user = Edition2024_01.User(account.person)
    self.init(
      userID: user.userID, email: user.email, nickname: user.nickname, profileImage: user.profileImage,
      phone: account.phone, vendor: account.signInMethod, createdAt: dates.label(account.createdAt),
      token: .init(accessToken: accessToken, refreshToken: signedIn.refreshToken))
  }
}

extension Edition2024_01.MyProfile {
  init(_ account: Account, _ dates: WireDates) {
    let user = Edition2024_01.User(account.person)
    self.init(
      userID: user.userID, email: user.email, nickname: user.nickname, profileImage: user.profileImage,
      phone: account.phone, vendor: account.signInMethod, sesacCoin: account.coins,
      createdAt: dates.label(account.createdAt))
  }
}

extension Edition2024_01.Workspace {
  init(_ workspace: Workspace, _ dates: WireDates) {
    self.init(
      workspaceID: workspace.id.number, name: workspace.name, description: workspace.description,
      thumbnail: wirePath(workspace.cover, default: .workspaceCoverImages), ownerID: workspace.owner.number,
      createdAt: dates.label(workspace.createdAt))
  }
}

extension Edition2024_01.WorkspaceDetail {
  /// Its lists are written page by page.
  init(withoutLists workspace: Workspace, _ dates: WireDates) {
    let workspace = Edition2024_01.Workspace(workspace, dates)
    self.init(
      workspaceID: workspace.workspaceID, name: workspace.name, description: workspace.description,
      thumbnail: workspace.thumbnail, ownerID: workspace.ownerID, createdAt: workspace.createdAt,
      channels: [], workspaceMembers: [])
  }
}

extension Edition2024_01.Channel {
  init(_ channel: Channel, _ dates: WireDates) {
    self.init(
      workspaceID: channel.workspace, channelID: channel.id.number, name: channel.name,
      description: channel.description, ownerID: channel.owner.number, createdAt: dates.label(channel.createdAt))
  }
}

extension Edition2024_01.ChannelDetail {
  /// Its members are written page by page.
  init(withoutMembers channel: Channel, _ dates: WireDates) {
    let channel = Edition2024_01.Channel(channel, dates)
    self.init(
      workspaceID: channel.workspaceID, channelID: channel.channelID, name: channel.name,
      description: channel.description, ownerID: channel.ownerID, createdAt: channel.createdAt,
      channelMembers: [])
  }
}

extension Edition2024_01.DMRoom {
  init(_ room: DirectMessage, _ dates: WireDates) {
    self.init(
      workspaceID: room.workspace, roomID: room.id.number, createdAt: dates.label(room.createdAt),
      user: .init(room.other))
  }
}

extension Edition2024_01.ChannelChat {
  init(_ chat: Chat, _ dates: WireDates) {
    self.init(
      channelID: chat.room.id.number, channelName: chat.room.name, chatID: chat.id.number, content: chat.content,
      createdAt: dates.label(chat.createdAt), files: chat.files.map { wirePath($0) }, user: .init(chat.author))
  }
}

extension Edition2024_01.DMChat {
  init(_ chat: Chat, _ dates: WireDates) {
    self.init(
      dmID: chat.id.number, roomID: chat.room.id.number, content: chat.content,
      createdAt: dates.label(chat.createdAt), files: chat.files.map { wirePath($0) }, user: .init(chat.author))
  }
}

extension Edition2024_01.ChannelUnread {
  init(_ unread: Unread) {
    let id = unread.room.id.number
    self.init(channelID: id, name: unread.room.name, count: unread.count, roomID: id)
  }
}

extension Edition2024_01.DMUnread {
  init(_ unread: Unread) { self.init(roomID: unread.room.id.number, count: unread.count) }
}
