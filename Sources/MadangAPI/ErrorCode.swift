/// All error codes of the server. Some clients hang on any other code (wire contract, Error codes).
public enum ErrorCode: String, Codable, Sendable, CaseIterable {
  case badKey = "E01"
  case badToken = "E02"
  case noAccount = "E03"
  case stillValid = "E04"
  case tokenExpired = "E05"
  case refreshExpired = "E06"
  case badRequest = "E11"
  case duplicate = "E12"
  case notFound = "E13"
  case notOwner = "E14"
  case mustHandOver = "E15"
  case notEnoughCoins = "E21"
  case paymentUnknown = "E81"
  case paymentInvalid = "E82"
  case unknownPath = "E97"
  case tooManyCalls = "E98"
  case serverFailure = "E99"

  /// 500 for ``serverFailure``, otherwise 400: clients read the body only for these two.
  public var status: Int { self == .serverFailure ? 500 : 400 }

  /// A description of the code, for operators and developers.
  public var meaning: String {
    switch self {
    case .badKey: "the API key is missing, unknown or of the other edition"
    case .badToken: "the token is missing, malformed, unknown or revoked"
    case .noAccount: "the account does not exist, or signing in failed"
    case .stillValid: "the access token is still valid"
    case .tokenExpired: "the access token has expired"
    case .refreshExpired: "the refresh token has expired: sign in again"
    case .badRequest: "the request is not valid"
    case .duplicate: "it exists already"
    case .notFound: "there is no such data, or you do not belong to it"
    case .notOwner: "only the owner may do that"
    case .mustHandOver: "an owner must hand over first"
    case .notEnoughCoins: "not enough coins"
    case .paymentUnknown: "the payment is unknown or was already used"
    case .paymentInvalid: "the payment is not valid"
    case .unknownPath: "there is no such path"
    case .tooManyCalls: "too many calls"
    case .serverFailure: "the server failed"
    }
  }
}

/// The body of every failure. It has exactly one key, because a second one breaks the error handling of some clients.
public struct ErrorBody: Codable, Hashable, Sendable {
  public var errorCode: String

  public init(_ code: ErrorCode) { errorCode = code.rawValue }
}
