extension Edition2024_10 {
  /// A person as others see them.
  public struct Member: Codable, Hashable, Sendable {
    public var userID: String
    public var email: String
    public var nickname: String
    public var profileImage: String?

    enum CodingKeys: String, CodingKey {
      case userID = "user_id"
      case email
      case nickname
      case profileImage
    }

    public init(userID: String, email: String, nickname: String, profileImage: String?) {
      self.userID = userID
      self.email = email
      self.nickname = nickname
      self.profileImage = profileImage
    }
  }

  public typealias Tokens = SessionTokens

  /// The answer to signing up or in: the account and the tokens of the new session.
  public struct Login: Codable, Hashable, Sendable {
    public var userID: String
    public var email: String
    public var nickname: String
    public var profileImage: String?
    public var phone: String
    public var provider: String?
    public var createdAt: String
    public var token: Tokens

    enum CodingKeys: String, CodingKey {
      case userID = "user_id"
      case email
      case nickname
      case profileImage
      case phone
      case provider
      case createdAt
      case token
    }

    public init(
      userID: String, email: String, nickname: String, profileImage: String?, phone: String, provider: String?,
      createdAt: String, token: Tokens
    ) {
      self.userID = userID
      self.email = email
      self.nickname = nickname
      self.profileImage = profileImage
      self.phone = phone
      self.provider = provider
      self.createdAt = createdAt
      self.token = token
    }
  }

  /// The caller's own account with its balance of coins.
  public struct Me: Codable, Hashable, Sendable {
    public var userID: String
    public var email: String
    public var nickname: String
    public var profileImage: String?
    public var phone: String
    public var provider: String?
    public var sesacCoin: Int
    public var createdAt: String

    enum CodingKeys: String, CodingKey {
      case userID = "user_id"
      case email
      case nickname
      case profileImage
      case phone
      case provider
      case sesacCoin
      case createdAt
    }

    public init(
      userID: String, email: String, nickname: String, profileImage: String?, phone: String, provider: String?,
      sesacCoin: Int, createdAt: String
    ) {
      self.userID = userID
      self.email = email
      self.nickname = nickname
      self.profileImage = profileImage
      self.phone = phone
      self.provider = provider
      self.sesacCoin = sesacCoin
      self.createdAt = createdAt
    }
  }

  public typealias Refresh = RefreshedToken

  public static let validateEmail = Endpoint<Empty>(.post, "/v1/users/validation/email", .publicKey)
  public static let signUp = Endpoint<Login>(.post, "/v1/users/join", .publicKey)
  public static let signIn = Endpoint<Login>(.post, "/v1/users/login", .publicKey)
  public static let signInWithApple = Endpoint<Login>(.post, "/v1/users/login/apple", .publicKey)
  public static let signInWithKakao = Endpoint<Login>(.post, "/v1/users/login/kakao", .publicKey)
  public static let signOut = Endpoint<Empty>(.get, "/v1/users/logout", .expiredToken)
  public static let setDeviceToken = Endpoint<Empty>(.post, "/v1/users/deviceToken", .token)
  public static let me = Endpoint<Me>(.get, "/v1/users/me", .token)
  public static let editMe = Endpoint<Me>(.put, "/v1/users/me", .token)
  public static let editPicture = Endpoint<Me>(.put, "/v1/users/me/image", .token)
  public static let user = Endpoint<Member>(.get, "/v1/users/{user}", .token)
  public static let refresh = Endpoint<Refresh>(.get, "/v1/auth/refresh", .refreshToken)
}

extension Edition2024_10.Member: WireObject {
  public func writeFields(to json: inout JSONWriter) {
    json.field(CodingKeys.userID, userID)
    json.field(CodingKeys.email, email)
    json.field(CodingKeys.nickname, nickname)
    json.field(CodingKeys.profileImage, profileImage)
  }
}

extension Edition2024_10.Me: WireObject {
  public func writeFields(to json: inout JSONWriter) {
    json.field(CodingKeys.userID, userID)
    json.field(CodingKeys.email, email)
    json.field(CodingKeys.nickname, nickname)
    json.field(CodingKeys.profileImage, profileImage)
    json.field(CodingKeys.phone, phone)
    json.field(CodingKeys.provider, provider)
    json.field(CodingKeys.sesacCoin, sesacCoin)
    json.field(CodingKeys.createdAt, createdAt)
  }
}
