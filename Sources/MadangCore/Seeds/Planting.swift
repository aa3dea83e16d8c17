import Storage

/// People, workspaces, rooms and chats that are written at once into an empty database: the initial state of a test world. Times are
/// milliseconds since 1970.
package struct Planting: Sendable {
  package struct Person: Sendable {
    package var email: String
    package var password: String
    package var nickname: String
    package var phone = ""
    package var picture: Blob?
    /// Nil means the sign-up bonus.
    package var coins: Int?
    package var createdAt: Int64
    /// Sessions with a device that gets notifications.
    package var devices: [Device] = []

    package init(email: String, password: String, nickname: String, createdAt: Int64) {
      (self.email, self.password, self.nickname, self.createdAt) = (email, password, nickname, createdAt)
    }
  }

  package struct Device: Sendable {
    package var token: String
    package var edition: String

    package init(token: String, edition: String) { (self.token, self.edition) = (token, edition) }
  }

  /// The bytes of a file.
  package struct Blob: Sendable {
    package var bytes: [UInt8]
    /// The name that a client would send; only documents keep it.
    package var name: String

    package init(_ bytes: [UInt8], named name: String = "") { (self.bytes, self.name) = (bytes, name) }
  }

  package struct Workspace: Sendable {
    package var name: String
    package var description = ""
    package var cover: Blob?
    /// An index into the people, like all references to people here.
    package var owner: Int
    package var createdAt: Int64
    /// The owner is a member from the start, unless this list contains the owner.
    package var members: [Member] = []
    /// Nil for the usual description.
    package var defaultDescription: String?
    package var defaultCover: Blob?
    /// Without the default channel.
    package var channels: [Channel] = []
    package var defaultChats: [Chat] = []
    package var directMessages: [DirectMessage] = []

    package init(name: String, owner: Int, createdAt: Int64) {
      (self.name, self.owner, self.createdAt) = (name, owner, createdAt)
    }
  }

  package struct Member: Sendable {
    package var person: Int
    package var joinedAt: Int64
    /// Whether the person has left again; their chats stay.
    package var hasLeft = false

    package init(person: Int, joinedAt: Int64) { (self.person, self.joinedAt) = (person, joinedAt) }
  }

  package struct Channel: Sendable {
    package var name: String
    package var description = ""
    package var cover: Blob?
    package var owner: Int
    package var createdAt: Int64
    /// The owner is a member from the start, unless this list contains the owner.
    package var members: [Member] = []
    package var chats: [Chat] = []
    package var isDeleted = false

    package init(name: String, owner: Int, createdAt: Int64) {
      (self.name, self.owner, self.createdAt) = (name, owner, createdAt)
    }
  }

  package struct DirectMessage: Sendable {
    package var people: (Int, Int)
    package var createdAt: Int64
    package var chats: [Chat] = []

    package init(people: (Int, Int), createdAt: Int64) { (self.people, self.createdAt) = (people, createdAt) }
  }

  package struct Chat: Sendable {
    package var author: Int
    package var content: String
    package var files: [Blob] = []
    /// Must be later than the date of the previous chat in the room.
    package var createdAt: Int64

    package init(author: Int, content: String, createdAt: Int64) {
      (self.author, self.content, self.createdAt) = (author, content, createdAt)
    }
  }

  package var people: [Person] = []
  package var workspaces: [Workspace] = []

  package init() {}
}

/// What is wrong with a planting, in words that name the part.
package struct PlantingProblem: Error, CustomStringConvertible {
  package let description: String

  init(_ description: String) { self.description = description }
}

extension Planting {
  /// Kinds of text that people type, each with its rules.
  package enum Text: Sendable {
    case email, password, nickname, phone, name, channelName, description, content, deviceToken
  }

  /// What is wrong with a text; nil if it is valid.
  package static func problem(with text: String, as kind: Text) -> String? {
    do {
      switch kind {
      case .email: _ = try TextRules.email(text)
      case .password: _ = try TextRules.newPassword(text)
      case .nickname: _ = try TextRules.nickname(text)
      case .phone: _ = try TextRules.phone(text)
      case .name: _ = try TextRules.name(text)
      case .channelName: _ = try TextRules.channelName(text)
      case .description: _ = try TextRules.description(text)
      case .content: _ = try TextRules.content(text, maxLength: Settings.maxContentLength)
      case .deviceToken: _ = try TextRules.deviceToken(text)
      }
      return nil
    } catch {
      return (error as? Failure)?.message ?? "\(error)"
    }
  }
}
