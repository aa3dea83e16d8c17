import MadangAPI
import NIOHTTP1
import Testing

/// Somebody with an account and a session in a world.
package struct TestPerson: Sendable {
  package let world: World
  package let id: String
  package let email: String
  package let nickname: String
  package let token: String
  package let refreshToken: String

  /// How others see the person, before any change of their profile.
  package var member: JSON {
    ["user_id": .text(id), "email": .text(email), "nickname": .text(nickname), "profileImage": nil]
  }

  package func call(
    _ method: HTTPMethod, _ path: String, headers: [(String, String)] = [], _ body: World.Body = .none
  ) async throws -> World.Answer {
    try await world.call(method, path, token: token, headers: headers, body)
  }

  /// Makes a call that must succeed.
  package func get(_ path: String) async throws -> JSON { try await success(.GET, path) }
  package func post(_ path: String, _ body: JSON) async throws -> JSON { try await success(.POST, path, .json(body)) }

  package func success(_ method: HTTPMethod, _ path: String, _ body: World.Body = .none) async throws -> JSON {
    let answer = try await call(method, path, body)
    try #require(answer.status == 200, "\(method) \(path): \(String(decoding: answer.body, as: UTF8.self))")
    return try answer.json
  }

  /// The code that a call is refused with; nil if it is not refused.
  package func code(_ method: HTTPMethod, _ path: String, _ body: World.Body = .none) async throws -> String? {
    try await call(method, path, body).code
  }

  package func put(_ path: String, _ body: JSON) async throws -> JSON { try await success(.PUT, path, .json(body)) }

  /// A workspace of the person's own; its path for further calls.
  package func workspace(_ name: String = "Weekend Builders") async throws -> String {
    try id(of: "workspaces", "workspace_id", try await post("workspaces", ["name": .text(name)]))
  }

  package func channel(_ name: String, in workspace: String) async throws -> String {
    let path = "\(workspace)/channels"
    return try id(of: path, "channel_id", try await post(path, ["name": .text(name)]))
  }

  package func directMessage(with other: TestPerson, in workspace: String) async throws -> String {
    let path = "\(workspace)/dms"
    return try id(of: path, "room_id", try await post(path, ["opponent_id": .text(other.id)]))
  }

  package func invite(_ other: TestPerson, to workspace: String) async throws {
    _ = try await post("\(workspace)/members", ["email": .text(other.email)])
  }

  package func say(_ text: String, in room: String) async throws -> JSON {
    try await post("\(room)/chats", ["content": .text(text)])
  }

  private func id(of path: String, _ key: String, _ object: JSON) throws -> String {
    "\(path)/\(try #require(object[key]?.string))"
  }
}

/// What most call sequences start from: A owns workspace W and has invited B; C is in no workspace.
package struct Courtyard: Sendable {
  package let a: TestPerson
  package let b: TestPerson
  package let c: TestPerson
  /// The path of the workspace.
  package let w: String
}

extension World {
  package func courtyard() async throws -> Courtyard {
    let a = try await signUp("Mina")
    let b = try await signUp("Joon")
    let c = try await signUp("Sora")
    let w = try await a.workspace()
    try await a.invite(b, to: w)
    return Courtyard(a: a, b: b, c: c, w: w)
  }

  /// Waits until something holds that others bring about; for what tests cannot be told of.
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

  package func signUp(_ nickname: String) async throws -> TestPerson {
    let email = "\(nickname.lowercased())@example.com"
    let answer = try await call(
      .POST, "users/join",
      .json(["email": .text(email), "password": .text(Self.password), "nickname": .text(nickname)]))
    try #require(answer.status == 200, "\(String(decoding: answer.body, as: UTF8.self))")
    let login = try answer.json
    return TestPerson(
      world: self, id: try #require(login["user_id"]?.string), email: email, nickname: nickname,
      token: try #require(login["token"]?["accessToken"]?.string),
      refreshToken: try #require(login["token"]?["refreshToken"]?.string))
  }
}
