import MadangAPI
import MadangCore

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

extension Edition2024_10.Member {
  init(_ person: Person) {
    self.init(
      userID: person.id.uuid, email: person.email, nickname: person.nickname,
      profileImage: person.picture.map(wirePath))
  }
}
