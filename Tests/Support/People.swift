import MadangAPI
import NIOHTTP1
import Testing

/// A person with an account and a session in a world.
package struct TestPerson: Sendable {
  package let world: World
  /// The edition of the person's session: calls carry its key.
  package let edition: EditionName
  /// The id as paths and namespaces of the edition contain it.
  package let id: String
  package let email: String
  package let nickname: String
  package let token: String
  package let refreshToken: String

  /// The same person, calling another server of the same database.
  package func at(_ other: World) -> TestPerson {
    TestPerson(
      world: other, edition: edition, id: id, email: email, nickname: nickname, token: token,
      refreshToken: refreshToken)
  }

  /// The person as others see them before any change of the profile.
  package var member: JSON {
    ["user_id": userID, "email": .text(email), "nickname": .text(nickname), "profileImage": nil]
  }

  /// The id as objects of the edition contain it.
  package var userID: JSON {
    switch edition {
    case .january2024: .number(Double(id) ?? 0)
    case .october2024: .text(id)
    }
  }

  package func call(
    _ method: HTTPMethod, _ path: String, headers: [(String, String)] = [], _ body: World.Body = .none
  ) async throws -> World.Answer {
    try await world.call(method, path, token: token, key: edition.developmentKey, headers: headers, body)
  }

  /// Makes a call that must succeed.
  package func get(_ path: String) async throws -> JSON { try await success(.GET, path) }
  package func post(_ path: String, _ body: JSON) async throws -> JSON { try await success(.POST, path, .json(body)) }

  package func success(_ method: HTTPMethod, _ path: String, _ body: World.Body = .none) async throws -> JSON {
    let answer = try await call(method, path, body)
    try #require(answer.status == 200, "\(method) \(path): \(String(decoding: answer.body, as: UTF8.self))")
    return try answer.json
  }

  /// The error code of a call; nil if it succeeds.
  package func code(_ method: HTTPMethod, _ path: String, _ body: World.Body = .none) async throws -> String? {
    try await call(method, path, body).code
  }

  package func put(_ path: String, _ body: JSON) async throws -> JSON { try await success(.PUT, path, .json(body)) }

  /// Makes a workspace of the person, and returns its path for further calls.
  package func workspace(_ name: String = "Weekend Builders") async throws -> String {
    try id(of: "workspaces", "workspace_id", try await post("workspaces", ["name": .text(name)]))
  }

  package func channel(_ name: String, in workspace: String) async throws -> String {
    let path = "\(workspace)/channels"
    let channel = try await post(path, ["name": .text(name)])
    return edition == .january2024 ? "\(path)/\(percentEncoded(name))" : try id(of: path, "channel_id", channel)
  }

  package func directMessage(with other: TestPerson, in workspace: String) async throws -> String {
    let path = "\(workspace)/dms"
    let room =
      switch edition {
      case .january2024: try await get("\(path)/\(other.id)/chats")
      case .october2024: try await post(path, ["opponent_id": .text(other.id)])
      }
    return try id(of: path, "room_id", room)
  }

  package func invite(_ other: TestPerson, to workspace: String) async throws {
    _ = try await post("\(workspace)/members", ["email": .text(other.email)])
  }

  package func say(_ text: String, in room: String) async throws -> JSON {
    try await post("\(room)/chats", ["content": .text(text)])
  }

  private func id(of path: String, _ key: String, _ object: JSON) throws -> String {
    "\(path)/\(try #require(object[key]?.id))"
  }
}

/// The initial state of most call sequences: A owns workspace W and has invited B; C is in no workspace.
package struct Courtyard: Sendable {
  package let a: TestPerson
  package let b: TestPerson
  package let c: TestPerson
  /// The path of the workspace.
  package let w: String
}

extension World {
  package func courtyard(through edition: EditionName = .october2024) async throws -> Courtyard {
    let a = try await signUp("Mina", through: edition)
    let b = try await signUp("Joon", through: edition)
    let c = try await signUp("Sora", through: edition)
    let w = try await a.workspace()
    try await a.invite(b, to: w)
    return Courtyard(a: a, b: b, c: c, w: w)
  }

  /// A token that the built-in verifier of a provider accepts.
  package func socialToken(_ provider: String, _ subject: String, _ email: String?, nickname: String? = nil)
    async throws -> String
  {
    let answer = try await call(
      .POST, "/_dev/social-tokens", key: nil,
      .json([
        "provider": .text(provider), "subject": .text(subject), "email": email.map(JSON.text) ?? .null,
        "nickname": nickname.map(JSON.text) ?? .null,
      ]))
    return try #require(try answer.json["token"]?.string)
  }

  /// Records a payment with the built-in verifier and returns its `imp_uid`.
  package func payment(
    _ merchantUID: String, _ amount: Int, status: String? = nil, impUID: String? = nil
  ) async throws -> String {
    let answer = try await call(
      .POST, "/_dev/payments", key: nil,
      .json([
        "merchant_uid": .text(merchantUID), "amount": .number(Double(amount)),
        "status": status.map(JSON.text) ?? .null, "imp_uid": impUID.map(JSON.text) ?? .null,
      ]))
    return try #require(try answer.json["imp_uid"]?.string)
  }

  /// Waits until a condition holds that the test has no other way to await.
  package static func eventually(
    within limit: Duration = .seconds(60), _ condition: () async throws -> Bool
  ) async throws -> Bool {
    let deadline = ContinuousClock.now + limit
    while try await !condition() {
      guard ContinuousClock.now < deadline else { return false }
      try await Task.sleep(for: .milliseconds(20))
    }
    return true
  }

  package static let password = "Passw0rd!"

  package func signUp(_ nickname: String, through edition: EditionName = .october2024) async throws -> TestPerson {
    let email = "\(nickname.lowercased())@example.com"
    let answer = try await call(
      .POST, "users/join", key: edition.developmentKey,
      .json(["email": .text(email), "password": .text(Self.password), "nickname": .text(nickname)]))
    return try person(email, nickname, edition, answer)
  }

  /// The same person, signed in through another edition.
  package func signIn(_ person: TestPerson, through edition: EditionName) async throws -> TestPerson {
    let answer = try await call(
      .POST, edition == .january2024 ? "/v2/users/login" : "users/login", key: edition.developmentKey,
      .json(["email": .text(person.email), "password": .text(Self.password)]))
    return try self.person(person.email, person.nickname, edition, answer)
  }

  private func person(_ email: String, _ nickname: String, _ edition: EditionName, _ answer: Answer) throws
    -> TestPerson
  {
    try #require(answer.status == 200, "\(String(decoding: answer.body, as: UTF8.self))")
    let login = try answer.json
    return TestPerson(
      world: self, edition: edition, id: try #require(login["user_id"]?.id), email: email, nickname: nickname,
      token: try #require(login["token"]?["accessToken"]?.string),
      refreshToken: try #require(login["token"]?["refreshToken"]?.string))
  }
}
