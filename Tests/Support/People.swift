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

extension World {
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
