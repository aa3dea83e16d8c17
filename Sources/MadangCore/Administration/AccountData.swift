import Storage

// The data of an account, read page by page. Pages are ordered by number or place and start after a given one. They contain no secret with
// which one could sign in.

/// A membership of an account.
package struct MembershipRecord: Sendable {
  package let number: Int64
  package let workspace: String
  package let isOwner: Bool
  package let joinedAt: Int64
}

/// A line of an account's ledger.
package struct CoinRecord: Sendable {
  package let number: Int64
  package let amount: Int
  package let reason: String
  package let createdAt: Int64
}

package struct PaymentRecord: Sendable {
  package let number: Int64
  package let paymentID: String
  package let merchantID: String
  package let item: String
  package let amount: Int
  package let coins: Int
  package let paidAt: Int64
}

/// A chat that the account wrote.
package struct WrittenChat: Sendable {
  package let id: ObjectID
  let room: Int64
  package let workspace: String
  /// The channel's name; nil in direct messages.
  package let channel: String?
  /// Of the room.
  package let roomID: String
  /// The nickname of the other person; nil in channels.
  package let partner: String?
  package let content: String
  /// Paths of its files, as clients see them.
  package internal(set) var files: [String]
  package let createdAt: Int64

  package var place: WrittenPlace { WrittenPlace(room: room, createdAt: createdAt) }
}

/// The position of a chat among all chats of its author.
package struct WrittenPlace: Sendable {
  let room: Int64
  let createdAt: Int64
}

/// A file that an account has uploaded.
package struct UploadedFile: Sendable {
  package let number: Int64
  package let file: StoredFile
  package let createdAt: Int64
}

extension Madang {
  /// Throws `.noSuchUser`.
  package func accountRecord(email: String) async throws -> AccountRecord {
    try await database.read { try $0.accountRecord(try $0.userID(email: email)) }
  }

  package func memberships(of user: Int64, after number: Int64, limit: Int) async throws -> [MembershipRecord] {
    try await database.read { try $0.memberships(of: user, after: number, limit: limit) }
  }

  package func coinEntries(of user: Int64, after number: Int64, limit: Int) async throws -> [CoinRecord] {
    try await database.read { try $0.coinEntries(of: user, after: number, limit: limit) }
  }

  package func payments(of user: Int64, after number: Int64, limit: Int) async throws -> [PaymentRecord] {
    try await database.read { try $0.payments(of: user, after: number, limit: limit) }
  }

  /// One page of the account's chats, room by room, without deleted rooms. Starts after `last`.
  package func chats(writtenBy user: Int64, after last: WrittenPlace?, limit: Int) async throws -> [WrittenChat] {
    try await database.read { try $0.chats(writtenBy: user, after: last, limit: limit) }
  }

  package func files(uploadedBy user: Int64, after number: Int64, limit: Int) async throws -> [UploadedFile] {
    try await database.read { try $0.files(uploadedBy: user, after: number, limit: limit) }
  }

  /// All bytes of a stored file. Throws if the file cannot be read.
  package func bytes(of file: StoredFile) async throws -> [UInt8] { try await files.bytes(of: file) }
}
