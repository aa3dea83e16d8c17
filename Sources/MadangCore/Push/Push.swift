import Storage

/// A device that gets a notification of a chat.
package struct PushDevice: Sendable {
  /// As the client sent it.
  package let token: String
  /// The edition of the session that registered the device; it decides the form of ids.
  package let edition: String
  /// The number of the account.
  package let person: Int64
  /// When the session registered the device, in milliseconds since 1970.
  package let registeredAt: Int64

  package init(token: String, edition: String, person: Int64, registeredAt: Int64) {
    (self.token, self.edition, self.person, self.registeredAt) = (token, edition, person, registeredAt)
  }
}

/// The devices of some members of a room.
package struct PushDevices: Sendable {
  package let devices: [PushDevice]
  /// The next page starts after this account; nil if this page was the last.
  package let next: Int64?
}

/// The workspace of a chat, as a notification names it.
package struct PushPlace: Sendable {
  package let workspace: ObjectID
  package let workspaceName: String
}

extension Madang {
  /// The workspace of a chat's room; nil if it was deleted.
  package func pushPlace(of chat: Chat) async throws -> PushPlace? {
    try await database.read { try $0.pushPlace(workspace: chat.room.workspace) }
  }

  /// The devices of one page of the room's members after `person`, without the author. A device gets one notification, even if several
  /// sessions name it. An account's newest devices count, up to the limit in the settings.
  package func pushDevices(for chat: Chat, after person: Int64 = 0) async throws -> PushDevices {
    try await database.read { [now = clock.now, settings] transaction in
      try transaction.pushDevices(
        for: chat, after: person, now: now, people: settings.pushPage, perPerson: settings.pushDevices)
    }
  }

  /// Removes devices that are no longer registered with the push service from all sessions, except sessions that have registered them again
  /// since.
  package func forget(_ devices: [PushDevice]) async throws {
    try await database.write(ignoresStop: true) { transaction in
      for device in devices { try transaction.forget(device) }
    }
  }
}
