import Storage

/// A device that is to be told of a chat.
package struct PushDevice: Sendable {
  /// As the client sent it.
  package let token: String
  /// Edition of the session that registered it, whose form of ids its app reads.
  package let edition: String
  /// Number of whom it belongs to.
  package let person: Int64
  /// When that session registered it, in milliseconds since 1970.
  package let registeredAt: Int64

  package init(token: String, edition: String, person: Int64, registeredAt: Int64) {
    (self.token, self.edition, self.person, self.registeredAt) = (token, edition, person, registeredAt)
  }
}

/// Devices of some of a room's people.
package struct PushDevices: Sendable {
  package let devices: [PushDevice]
  /// After whom the others follow; nil if these were the last.
  package let next: Int64?
}

/// What a notification says of a chat's place.
package struct PushPlace: Sendable {
  package let workspace: ObjectID
  package let workspaceName: String
}

extension Madang {
  /// The workspace of a chat's room; nil if it is gone by now.
  package func pushPlace(of chat: Chat) async throws -> PushPlace? {
    try await database.read { try $0.pushPlace(workspace: chat.room.workspace) }
  }

  /// The devices of some of the people of the chat's room after a person, the author's left out. A person has one notification
  /// per device, however many sessions name it, and has no more than the setting says: the newest count.
  package func pushDevices(for chat: Chat, after person: Int64 = 0) async throws -> PushDevices {
    try await database.read { [now = clock.now, settings] transaction in
      try transaction.pushDevices(
        for: chat, after: person, now: now, people: settings.pushPage, perPerson: settings.pushDevices)
    }
  }

  /// Nobody has these devices any more: the sessions that name them forget them, but for those that have registered them since.
  package func forget(_ devices: [PushDevice]) async throws {
    try await database.write(heedsStop: false) { transaction in
      for device in devices { try transaction.forget(device) }
    }
  }
}
