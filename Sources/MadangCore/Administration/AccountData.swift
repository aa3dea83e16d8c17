import Storage

// What there is about an account, some rows at a time. Each answers rows by their numbers or places, those after one, and nothing that
// signs anybody in.

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

/// A chat that an account has written.
package struct WrittenChat: Sendable {
  package let id: ObjectID
  let room: Int64
  package let workspace: String
  /// The channel's name; nil in direct messages.
  package let channel: String?
  package let content: String
  /// Paths.
  package internal(set) var files: [String]
  package let createdAt: Int64

  package var place: WrittenPlace { WrittenPlace(room: room, createdAt: createdAt) }
}

/// Where among those of its author a chat is.
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

  /// In all rooms that were not deleted, room by room; those after one.
  package func chats(writtenBy user: Int64, after last: WrittenPlace?, limit: Int) async throws -> [WrittenChat] {
    try await database.read { try $0.chats(writtenBy: user, after: last, limit: limit) }
  }

  package func files(uploadedBy user: Int64, after number: Int64, limit: Int) async throws -> [UploadedFile] {
    try await database.read { try $0.files(uploadedBy: user, after: number, limit: limit) }
  }

  /// All bytes of a stored file. Throws if they cannot be had.
  package func bytes(of file: StoredFile) async throws -> [UInt8] { try await files.bytes(of: file) }
}
