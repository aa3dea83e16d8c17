import MadangAPI
import NIOHTTP1

/// Somebody with an account and a session of one edition, and what they do.
struct Person: Sendable {
  let trial: Trial
  /// What signing in answered.
  let login: JSON
  let email: String
  let nickname: String
  let token: String
  let refreshToken: String
  /// The cookie for sockets, if the answer set one.
  let cookie: String?

  init(_ trial: Trial, email: String, nickname: String, _ answer: Answer) throws {
    (self.trial, self.email, self.nickname) = (trial, email, nickname)
    login = try answer.json()
    let tokens = try login.value("token")
    token = try tokens.text("accessToken")
    refreshToken = try tokens.text("refreshToken")
    trial.server.requests.learn(token: token, of: email)
    cookie = answer.headers.first(name: "Set-Cookie").map { String($0.prefix { $0 != ";" }) }
  }

  /// As paths write it.
  var id: String { get throws { try login.id("user_id") } }
  var userID: JSON { get throws { try login.value("user_id") } }

  /// How others see the person, before any change of their profile.
  var member: JSON {
    get throws {
      ["user_id": try userID, "email": .text(email), "nickname": .text(nickname), "profileImage": nil]
    }
  }

  func call(
    _ method: HTTPMethod, _ path: String, headers: [(String, String)] = [], _ body: RequestBody = .none
  ) async throws -> Answer {
    try await trial.call(method, path, token: token, headers: headers, body)
  }

  /// A call that must succeed.
  func get(_ path: String) async throws -> JSON { try await call(.GET, path).json() }
  func list(_ path: String) async throws -> [JSON] { try await call(.GET, path).list() }
  func post(_ path: String, _ body: JSON) async throws -> JSON { try await call(.POST, path, .json(body)).json() }
  func put(_ path: String, _ body: JSON) async throws -> JSON { try await call(.PUT, path, .json(body)).json() }

  /// The path of the own profile.
  var profilePath: String { trial.isOctober ? "users/me" : "users/my" }
  func profile() async throws -> JSON { try await get(profilePath) }
  func coins() async throws -> Int { try await profile().integer("sesacCoin") }

  func refresh(showing token: String?) async throws -> Answer {
    try await trial.call(.GET, "auth/refresh", token: token, headers: [(HeaderName.refreshToken, refreshToken)])
  }
}

extension Trial {
  /// What a sign-up sends.
  func newAccount(_ nickname: String = "Mina", email: String = Trial.newEmail()) -> [String: JSON] {
    ["email": .text(email), "password": .text(Self.password), "nickname": .text(nickname)]
  }

  static func newEmail() -> String { "conformance-\(unique())@example.com" }

  /// A name for a workspace that nobody else uses, short enough.
  static func newName(_ start: String = "W") -> String { "\(start) \(unique())" }

  /// Signs up somebody new.
  func person(_ nickname: String = "Mina", deviceToken: String? = nil) async throws -> Person {
    let email = Self.newEmail()
    var account = newAccount(nickname, email: email)
    if let deviceToken { account["deviceToken"] = .text(deviceToken) }
    let answer = try await call(.POST, "users/join", .json(.object(account)))
    guard answer.isSuccessful else { throw answer.violation("a success", cause: .signUp) }
    return try Person(self, email: email, nickname: nickname, answer)
  }

  /// Another session of an account, through this edition.
  func signIn(_ person: Person, deviceToken: String = "") async throws -> Person {
    let body: JSON = [
      "email": .text(person.email), "password": .text(Self.password), "deviceToken": .text(deviceToken),
    ]
    let answer = try await call(.POST, isOctober ? "users/login" : "/v2/users/login", .json(body))
    return try Person(self, email: person.email, nickname: person.nickname, answer)
  }
}

extension ServerUnderTest {
  /// The editions whose key belongs to the other edition: ids, keys of the profile and empty answers are all of that edition's form.
  ///
  /// One sign alone may be a mistake of the server. Signs up an account for each key.
  package func editionsOfMistakenKeys() async -> [EditionName] {
    var mistaken: [EditionName] = []
    for edition in EditionName.allCases where keys[edition] != nil {
      if await isKeyOfOtherEdition(Trial(self, edition)) { mistaken.append(edition) }
    }
    return mistaken
  }

  private func isKeyOfOtherEdition(_ trial: Trial) async -> Bool {
    let email = JSON.object(["email": .text(Trial.newEmail())])
    let other = trial.other
    guard let check = try? await trial.call(.POST, "users/validation/email", .json(email)),
      (try? check.isEmptySuccess(in: other.edition)) != nil,
      let person = try? await trial.person()
    else { return false }
    let (own, theirs) = trial.isOctober ? ("provider", "vendor") : ("vendor", "provider")
    guard person.login[own] == nil, person.login[theirs] != nil, let id = person.login["user_id"] else { return false }
    return other.shapes.id.fault(in: id) == nil
  }
}
