import Storage

/// A person as seen by others in the same room.
package struct Person: Hashable, Codable, Sendable {
  package let id: ObjectID
  package let email: String
  package let nickname: String
  package let picture: String?

  /// The columns that ``init(_:)`` reads. The statement must give the table `users` the alias `u`.
  static let columns: SQL = "u.id AS user_id, u.uuid AS user_uuid, u.email, u.nickname, u.profile_image"

  init(_ row: Row) throws {
    id = try row.objectID(number: "user_id", uuid: "user_uuid")
    email = try row.get("email")
    nickname = try row.get("nickname")
    picture = try row.get("profile_image")
  }
}

/// A person as seen by someone who opens their profile.
package struct Profile: Sendable {
  package let person: Person
  package let createdAt: Int64

  static let columns: SQL = "\(sql: Person.columns), u.created_at AS user_created_at"

  init(_ row: Row) throws {
    person = try Person(row)
    createdAt = try row.get("user_created_at")
  }
}

/// A person with the data that only they can see.
package struct Account: Sendable {
  package let person: Person
  package let phone: String
  package let signInMethod: String?
  package let coins: Int
  package let createdAt: Int64

  static let columns: SQL = "\(sql: Profile.columns), u.phone, u.sign_in_method, u.coins"

  init(_ row: Row) throws {
    person = try Person(row)
    phone = try row.get("phone")
    signInMethod = try row.get("sign_in_method")
    coins = try row.get("coins")
    createdAt = try row.get("user_created_at")
  }
}

/// The credential of a new account.
enum Credential {
  case password(hash: String)
  case social(SocialProvider, subject: String)

  var passwordHash: String? { if case .password(let hash) = self { hash } else { nil } }
  var provider: SocialProvider? { if case .social(let provider, _) = self { provider } else { nil } }
  var subject: String? { if case .social(_, let subject) = self { subject } else { nil } }
}

/// The account that makes a call, and its session.
package struct Caller: Sendable {
  package let session: SessionID
  package let person: Person
  package var id: Int64 { person.id.number }
}

/// The sign-in methods besides e-mail and password. The names are stored with accounts and sent in replies.
package enum SocialProvider: String, Sendable, CaseIterable {
  case apple, kakao
}

/// What an account waits for. Until then it is limited to operations on itself: it cannot create workspaces or be added to one, so it meets
/// no other account.
package enum Waiting: String, CaseIterable, Sendable {
  /// The confirmation of its address.
  case confirmation
  /// An administrator's approval.
  case approval
}
