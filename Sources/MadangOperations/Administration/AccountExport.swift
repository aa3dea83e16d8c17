import Foundation
import MadangAPI
import MadangCore

/// The result of an export.
public struct AccountExportSummary: Encodable, Sendable {
  public let path: String
  public let chats: Int
  public let files: Int
  /// Whether texts of chats and uploaded files are in it.
  public let content: Bool
  /// Paths of files that could not be read.
  public let lost: [String]
}

extension Administration {
  /// Writes all data of an account into a new ZIP archive, mode 0600: JSON, some rows in each file, and its uploaded files.
  /// It has no passwords or tokens. Memory does not grow with the number of rows.
  /// - Parameter includesContent: Whether it has texts of chats and uploaded files. If not, `account.json` says that they are left out.
  /// - Throws: ``AdministrationError``; the archive is removed then.
  public func exportAccount(
    _ email: String, to url: URL, includesContent: Bool = true
  ) async throws -> AccountExportSummary {
    let record = try await madang.accountRecord(email: email)
    do {
      var zip = try ZipFile(url)
      do {
        // Before the export: a process that is ended early leaves a partial archive.
        try await madang.audit(
          .accountExported, subject: record.account.person.email,
          detail: ["path": url.path, "content": includesContent ? "texts and files" : "left out"], by: administrator)
        return try await AccountExport(madang: madang, record: record, includesContent: includesContent)
          .write(to: &zip, at: url.path)
      } catch {
        try? FileManager.default.removeItem(at: url)
        throw error
      }
    } catch let problem as BackupProblem { throw AdministrationError(description: problem.description) }
  }
}

private struct AccountExport {
  let madang: Madang
  let record: AccountRecord
  let includesContent: Bool

  /// Rows of one file of JSON.
  private static let page = 1000

  func write(to zip: inout ZipFile, at path: String) async throws -> AccountExportSummary {
    let (user, email) = (record.account.person.id.number, record.account.person.email)
    let now = madang.clock.now
    try zip.add("account.json", try Self.json(PersonalData(record, includesContent: includesContent)), at: now)

    var (part, after) = (0, Int64(0))
    /// The next file of this kind.
    func name(_ kind: String) -> String {
      part += 1
      return "\(kind)-\(part).json"
    }
    while case let rows = try await madang.sessions(email: email, after: after, limit: Self.page), let last = rows.last
    {
      try zip.add(name("sessions"), try Self.json(rows.map(SessionSummary.init)), at: now)
      after = last.id
    }
    (part, after) = (0, 0)
    while case let rows = try await madang.memberships(of: user, after: after, limit: Self.page), let last = rows.last {
      try zip.add(name("workspaces"), try Self.json(rows.map(Membership.init)), at: now)
      after = last.number
    }
    (part, after) = (0, 0)
    while case let rows = try await madang.coinEntries(of: user, after: after, limit: Self.page), let last = rows.last {
      try zip.add(name("coins"), try Self.json(rows.map(CoinEntry.init)), at: now)
      after = last.number
    }
    (part, after) = (0, 0)
    while case let rows = try await madang.payments(of: user, after: after, limit: Self.page), let last = rows.last {
      try zip.add(name("payments"), try Self.json(rows.map(Bought.init)), at: now)
      after = last.number
    }
    var (chats, files, lost) = (0, 0, [String]())
    var written: WrittenPlace?
    part = 0
    while case let rows = try await madang.chats(writtenBy: user, after: written, limit: Self.page),
      let last = rows.last
    {
      try zip.add(name("chats"), try Self.json(rows.map { Written($0, includesContent: includesContent) }), at: now)
      (written, chats) = (last.place, chats + rows.count)
    }
    after = 0
    while includesContent,
      case let rows = try await madang.files(uploadedBy: user, after: after, limit: Self.page), let last = rows.last
    {
      for row in rows {
        guard let bytes = try? await madang.bytes(of: row.file) else {
          lost.append(row.file.path)
          continue
        }
        try zip.add("files/\(row.file.path)", bytes, at: row.createdAt)
        files += 1
      }
      after = last.number
    }
    try zip.finish()
    return AccountExportSummary(path: path, chats: chats, files: files, content: includesContent, lost: lost)
  }

  private static func json(_ value: some Encodable) throws -> [UInt8] {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    return Array(try encoder.encode(value))
  }
}

// The form of the JSON files of an export.

private struct PersonalData: Encodable {
  let number: Int64
  let userID: String
  let email: String
  let nickname: String
  let phone: String
  let profileImage: String?
  let signInMethod: String?
  let coins: Int
  let createdAt: String
  let disabledAt: String?
  /// What the archive does not have; nil for nothing.
  let leftOut: String?

  init(_ record: AccountRecord, includesContent: Bool) {
    let (account, person) = (record.account, record.account.person)
    (number, userID, email, nickname) = (person.id.number, person.id.uuid, person.email, person.nickname)
    (phone, profileImage, signInMethod) = (account.phone, person.picture, account.signInMethod)
    (coins, createdAt) = (account.coins, WireDate.string(account.createdAt))
    disabledAt = record.disabledAt.map { WireDate.string($0) }
    leftOut =
      includesContent
      ? nil
      : "texts of chats and uploaded files, because web.admin.content is off; 'madang admin users export' has them"
  }
}

private struct Membership: Encodable {
  let workspace: String
  let isOwner: Bool
  let joinedAt: String

  init(_ record: MembershipRecord) {
    (workspace, isOwner, joinedAt) = (record.workspace, record.isOwner, WireDate.string(record.joinedAt))
  }
}

private struct CoinEntry: Encodable {
  let amount: Int
  let reason: String
  let createdAt: String

  init(_ record: CoinRecord) {
    (amount, reason, createdAt) = (record.amount, record.reason, WireDate.string(record.createdAt))
  }
}

private struct Bought: Encodable {
  let paymentID: String
  let merchantID: String
  let item: String
  let won: Int
  let coins: Int
  let paidAt: String

  init(_ record: PaymentRecord) {
    (paymentID, merchantID, item) = (record.paymentID, record.merchantID, record.item)
    (won, coins, paidAt) = (record.amount, record.coins, WireDate.string(record.paidAt))
  }
}

private struct Written: Encodable {
  let chatID: String
  let workspace: String
  /// Nil in direct messages.
  let channel: String?
  /// Of the room: a channel, or a direct message.
  let roomID: String
  /// The nickname of the other person of a direct message; nil in channels.
  let with: String?
  /// Nil if texts are left out.
  let content: String?
  /// Nil if files are left out.
  let files: [String]?
  let createdAt: String

  init(_ chat: WrittenChat, includesContent: Bool) {
    (chatID, workspace, channel) = (chat.id.uuid, chat.workspace, chat.channel)
    (roomID, with) = (chat.roomID, chat.partner)
    (content, files) = includesContent ? (chat.content, chat.files) : (nil, nil)
    createdAt = WireDate.string(chat.createdAt)
  }
}
