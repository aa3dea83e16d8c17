extension Edition2024_01 {
  /// A person as others see them.
  public struct User: Codable, Hashable, Sendable {
    public var userID: Int64
    public var email: String
    public var nickname: String
    public var profileImage: String?

    enum CodingKeys: String, CodingKey {
      case userID = "user_id"
      case email
      case nickname
      case profileImage
    }

    public init(userID: Int64, email: String, nickname: String, profileImage: String?) {
      self.userID = userID
      self.email = email
      self.nickname = nickname
      self.profileImage = profileImage
    }
  }

  /// A person with the creation time of the account.
  public struct UserDetail: Codable, Hashable, Sendable {
    public var userID: Int64
    public var email: String
    public var nickname: String
    public var profileImage: String?
    public var createdAt: String

    enum CodingKeys: String, CodingKey {
      case userID = "user_id"
      case email
      case nickname
      case profileImage
      case createdAt
    }

    public init(userID: Int64, email: String, nickname: String, profileImage: String?, createdAt: String) {
      self.userID = userID
      self.email = email
      self.nickname = nickname
      self.profileImage = profileImage
      self.createdAt = createdAt
    }
  }

  public typealias Tokens = SessionTokens

  /// The answer to signing in by the first version of the path, whose clients read the top level.
  public struct FlatLogin: Codable, Hashable, Sendable {
    public var userID: Int64
    public var nickname: String
    public var accessToken: String
    public var refreshToken: String

    enum CodingKeys: String, CodingKey {
      case userID = "user_id"
      case nickname
      case accessToken
      case refreshToken
    }

    public init(userID: Int64, nickname: String, accessToken: String, refreshToken: String) {
      self.userID = userID
      self.nickname = nickname
      self.accessToken = accessToken
      self.refreshToken = refreshToken
    }
  }

  /// The answer to signing up or in: the account and the tokens of the new session.
  public struct UserWithToken: Codable, Hashable, Sendable {
    public var userID: Int64
    public var email: String
    public var nickname: String
    public var profileImage: String?
    public var phone: String
    public var vendor: String?
    public var createdAt: String
    public var token: Tokens

    enum CodingKeys: String, CodingKey {
      case userID = "user_id"
      case email
      case nickname
      case profileImage
      case phone
      case vendor
      case createdAt
      case token
    }

    public init(
      userID: Int64, email: String, nickname: String, profileImage: String?, phone: String, vendor: String?,
      createdAt: String, token: Tokens
    ) {
      self.userID = userID
      self.email = email
      self.nickname = nickname
      self.profileImage = profileImage
      self.phone = phone
      self.vendor = vendor
      self.createdAt = createdAt
      self.token = token
    }
  }

  /// The caller's own account with its balance of coins.
  public struct MyProfile: Codable, Hashable, Sendable {
    public var userID: Int64
    public var email: String
    public var nickname: String
    public var profileImage: String?
    public var phone: String
    public var vendor: String?
    public var sesacCoin: Int
    public var createdAt: String

    enum CodingKeys: String, CodingKey {
      case userID = "user_id"
      case email
      case nickname
      case profileImage
      case phone
      case vendor
      case sesacCoin
      case createdAt
    }

    public init(
      userID: Int64, email: String, nickname: String, profileImage: String?, phone: String, vendor: String?,
      sesacCoin: Int, createdAt: String
    ) {
      self.userID = userID
      self.email = email
      self.nickname = nickname
      self.profileImage = profileImage
      self.phone = phone
      self.vendor = vendor
      self.sesacCoin = sesacCoin
      self.createdAt = createdAt
    }
  }

  public typealias Refresh = RefreshedToken

  public static let validateEmail = Endpoint<NoContent>(.post, "/v1/users/validation/email", .publicKey)
  public static let signUp = Endpoint<UserWithToken>(.post, "/v1/users/join", .publicKey)
  public static let signIn = Endpoint<FlatLogin>(.post, "/v1/users/login", .publicKey)
  public static let signInNested = Endpoint<UserWithToken>(.post, "/v2/users/login", .publicKey)
  public static let signInWithApple = Endpoint<UserWithToken>(.post, "/v1/users/login/apple", .publicKey)
  public static let signInWithKakao = Endpoint<UserWithToken>(.post, "/v1/users/login/kakao", .publicKey)
  public static let signOut = Endpoint<NoContent>(.get, "/v1/users/logout", .expiredToken)
  public static let setDeviceToken = Endpoint<NoContent>(.post, "/v1/users/deviceToken", .token)
  public static let me = Endpoint<MyProfile>(.get, "/v1/users/my", .token)
  public static let editMe = Endpoint<MyProfile>(.put, "/v1/users/my", .token)
  public static let editPicture = Endpoint<MyProfile>(.put, "/v1/users/my/image", .token)
  public static let user = Endpoint<UserDetail>(.get, "/v1/users/{user}", .token)
  public static let refresh = Endpoint<Refresh>(.get, "/v1/auth/refresh", .refreshToken)
}

extension Edition2024_01.User: WireObject {
  public func writeFields(to json: inout JSONWriter) {
    json.field(CodingKeys.userID, userID)
    json.field(CodingKeys.email, email)
    json.field(CodingKeys.nickname, nickname)
    json.field(CodingKeys.profileImage, profileImage)
  }
}

extension Edition2024_01.MyProfile: WireObject {
  public func writeFields(to json: inout JSONWriter) {
    json.field(CodingKeys.userID, userID)
    json.field(CodingKeys.email, email)
    json.field(CodingKeys.nickname, nickname)
    json.field(CodingKeys.profileImage, profileImage)
    json.field(CodingKeys.phone, phone)
    json.field(CodingKeys.vendor, vendor)
    json.field(CodingKeys.sesacCoin, sesacCoin)
    json.field(CodingKeys.createdAt, createdAt)
  }
}
