/// Header names of the wire contract (Request headers), and one that Madang adds.
public enum HeaderName {
  public static let apiKey = "SesacKey"
  public static let authorization = "Authorization"
  public static let refreshToken = "RefreshToken"
  /// A description of why a call is refused with `E11`, or has no effect in read-only mode, for people. Clients must not rely on it.
  public static let reason = "X-Madang-Reason"
}

/// Names of fields in bodies and queries, shared by the editions.
public enum Field: String, Sendable {
  case email, password, nickname, phone, deviceToken
  /// A spelling of ``deviceToken`` that some clients use.
  case deviceTokenSnakeCase = "device_token"
  case name, description, image
  case content, files
  case opponentID = "opponent_id"
  case ownerID = "owner_id"
  case keyword
  case idToken, oauthToken
  case impUID = "imp_uid"
  case merchantUID = "merchant_uid"
  case cursorDate = "cursor_date"
  case after
}

/// The editions, with their names in settings and tokens (wire contract, Editions).
public enum EditionName: String, Codable, Sendable, CaseIterable {
  case january2024 = "2024-01"
  case october2024 = "2024-10"

  package static let newestFirst = allCases.sorted { $0.rawValue > $1.rawValue }

  /// The editions by their keys in development mode.
  public static let developmentKeys = Dictionary(uniqueKeysWithValues: allCases.map { ($0.developmentKey, $0) })

  /// The edition's key in development mode.
  public var developmentKey: String {
    switch self {
    case .january2024: DevelopmentKey.january2024
    case .october2024: DevelopmentKey.october2024
    }
  }
}

/// Keys accepted only in development mode, one per edition (wire contract, Edition of a request).
public enum DevelopmentKey {
  public static let october2024 = "dev-key-2024-10"
  public static let january2024 = "dev-key-2024-01"
}

/// Paths of stored files on the wire: `/static/<folder>/<name>.<ext>` (wire contract, Stored paths).
public enum StoredPath {
  public static let prefix = "/static/"
}
