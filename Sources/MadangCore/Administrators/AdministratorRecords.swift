import Storage

/// An administrator's account, as administrators see it. Times are in milliseconds since 1970.
package struct AdministratorRecord: Sendable {
  package let number: Int64
  package let name: String
  package let createdAt: Int64
  /// The last sign-in, and the network address of it.
  package let seenAt: Int64
  package let address: String
  /// When the password was set.
  package let passwordAt: Int64
  /// Recovery codes that were not used yet.
  package let recoveryCodes: Int
}

/// An open link for a new administrator. The token cannot be read again.
package struct AdministratorLink: Sendable {
  package let number: Int64
  /// An administrator's name, or the command.
  package let by: String
  /// Milliseconds since 1970.
  package let expiresAt: Int64

  static let columns: SQL = "id, made_by, expires_at"

  init(_ row: Row) throws {
    number = try row.get("id")
    by = try row.get("made_by")
    expiresAt = try row.get("expires_at")
  }
}

/// The session of a signed-in administrator.
package struct AdministratorSession: Sendable {
  package let number: Int64
  /// The number of the administrator.
  package let account: Int64
  package let name: String

  /// The administrator as the audit log names them.
  /// - Parameter address: The network address of the call.
  package func actor(at address: String) -> Administrator {
    Administrator(name: name, number: account, address: address)
  }
}

/// A session that has just begun. Its token cannot be read again: only the hash is stored.
package struct AdministratorSignIn: Sendable {
  package let session: AdministratorSession
  package let token: String
}
