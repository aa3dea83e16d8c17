import MadangAPI

/// Why a call failed.
public enum MadangError: Error, Hashable, Sendable {
  /// The server refused the call with one of its codes. Madang adds a reason in English if a call is invalid or forbidden by the operator's
  /// settings (a quota, who may create an account, read-only mode); other servers do not.
  case refused(ErrorCode, status: Int, reason: String? = nil)
  /// The server could not be reached, or did not answer in time.
  case unreachable(host: String, reason: String)
  /// The answer did not come from a Madang server.
  case unintelligible(status: Int, reason: String)
  /// There is no session: the client is not signed in, or the server ended the session.
  case signedOut
  /// The server does not allow this account in a live room.
  case notAllowed(namespace: String, message: String)
  /// Too many chats wait to be sent to a room.
  case outboxFull
  /// A local file could not be read or written.
  case file(path: String, reason: String)

  /// The server's code, if it sent one.
  public var code: ErrorCode? {
    if case .refused(let code, _, _) = self { code } else { nil }
  }

  /// The HTTP status, if the server answered.
  public var status: Int? {
    switch self {
    case .refused(_, let status, _), .unintelligible(let status, _): status
    case .unreachable, .signedOut, .notAllowed, .outboxFull, .file: nil
    }
  }

  /// A description for users.
  public var meaning: String {
    switch self {
    case .refused(let code, _, let reason): reason.map { "\(code.meaning): \($0)" } ?? code.meaning
    case .unreachable(let host, let reason): "\(host) cannot be reached: \(reason)"
    case .unintelligible(let status, let reason): "not the answer of a Madang server (status \(status)): \(reason)"
    case .signedOut: "not signed in"
    case .notAllowed(let namespace, let message): "the server refused \(namespace): \(message)"
    case .outboxFull: "too many chats wait to be sent to this room"
    case .file(let path, let reason): "\(path): \(reason)"
    }
  }
}

extension MadangError {
  /// Whether the same call may succeed later without any change.
  public var isPassing: Bool {
    switch self {
    case .unreachable: true
    case .refused(let code, _, _): [.tokenExpired, .tooManyCalls, .serverFailure].contains(code)
    // An answer of a proxy; a status from 400 to 499 says that the request is at fault.
    case .unintelligible(let status, _): !(400..<500).contains(status)
    case .signedOut, .notAllowed, .outboxFull, .file: false
    }
  }

  /// Whether the call may have been executed although it failed.
  public var mayHaveSucceeded: Bool {
    switch self {
    case .unreachable: true
    case .refused(let code, _, _): code == .serverFailure
    case .unintelligible(let status, _): !(400..<500).contains(status)
    case .signedOut, .notAllowed, .outboxFull, .file: false
    }
  }
}

extension MadangError: CustomStringConvertible {
  public var description: String { code.map { "\($0.rawValue): \(meaning)" } ?? meaning }
}
