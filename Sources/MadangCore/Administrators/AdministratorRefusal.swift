/// Why an operation on administrators' accounts was refused.
package struct AdministratorRefusal: Error, Equatable {
  /// The words are those of the console's calls.
  package enum Code: String, Sendable {
    /// Name, password or code is wrong. Clients cannot tell which.
    case credentials
    /// The same, where the code has the form of a recovery code, whether or not it is one.
    case recovery
    /// The link is unknown, was used or has expired.
    case link
    /// Another administrator has the name.
    case taken
    /// The password breaks the rules, or is a common one.
    case weak
    /// The code is wrong, or no new second step waits for one.
    case code
    /// The last administrator cannot be removed through the page.
    case last
    /// Too many attempts.
    case wait
    /// The session has ended.
    case signedOut
    case notFound
    case refused
  }

  package let code: Code
  /// Cause and cure, for people.
  package let message: String
  /// Seconds until the next attempt, with ``Code/wait``.
  package let retryAfter: Int64?

  init(_ code: Code, _ message: String, retryAfter: Int64? = nil) {
    (self.code, self.message, self.retryAfter) = (code, message, retryAfter)
  }

  static let credentials = Self(
    .credentials, "name, password or code is wrong; a code counts once, so wait for the next one")
  static let recovery = Self(
    .recovery, "name, password or recovery code is wrong; each recovery code counts once, so use another one")
  static let wrongPassword = Self(.credentials, "the password is wrong")
  static let link = Self(
    .link, "the link is unknown, was used or has expired; make another one with 'madang admin web'")
  static let code = Self(.code, "the code is wrong; check the clock of the device, and use the app's present code")
  static let signedOut = Self(.signedOut, "the session has ended; sign in again")
}
