import MadangAPI
import MadangCore

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

extension Edition2024_01.User {
  init(_ person: Person) {
    self.init(
      userID: person.id.number, email: person.email, nickname: person.nickname,
      profileImage: person.picture.map { wirePath($0) })
  }
}
