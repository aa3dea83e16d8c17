import Foundation
import MadangAPI
import MadangCore
import NIOHTTP1
import Support
import Testing

@testable import MadangOperations
@testable import MadangServer

/// The people of `docs/reference/authorisation.md` in a world, with what each of them shows to one edition.
struct Courtyard: Sendable {
  struct Account: Sendable {
    let id: String
    let email: String
    let accessToken: String
    let refreshToken: String
    /// As sockets of the client send it.
    let cookie: String
  }

  struct Credentials: Sendable {
    let key: String
    var accessToken: String?
    var refreshToken: String?
    var cookie: String?
  }

  let world: World
  let edition: APIDescription
  let credentials: [Role: Credentials]
  /// Ids in this edition.
  private let ids: [String: String]
  /// Sessions in edition 2024-10, which builds the scenes.
  private let builders: [Role: Account]

  /// Settings that leave the decision to authorisation: no limits, no prices.
  static var settings: ServerSettings {
    var settings = World.settings
    settings.callLimits.requests = 0
    settings.callLimits.unknownTokens = 0
    settings.callLimits.refusedRefreshes = 0
    settings.domain.coins.workspace = 0
    settings.publicURL = "https://chat.example.com"
    settings.registration.confirmation = .limited
    // Its clock is moved on by months.
    (settings.registration.unconfirmedDays, settings.registration.pendingDays) = (0, 0)
    return settings
  }

  private static let guest = "guest@example.com"
  private static let newcomer = "newcomer@example.com"

  init(_ world: World, _ edition: APIDescription) async throws {
    self.world = world
    self.edition = edition
    var emails: [Role: String] = [:]
    for role in Role.people {
      emails[role] = "\(role.rawValue.replacing(" ", with: "."))@example.com"
    }
    let madang = world.server.madang
    let approvingKey = try await madang.createKey(edition: "2024-10", label: "with approval", approval: .on, by: .hana)
      .key
    for email in Array(emails.values) + [Self.guest, Self.newcomer] {
      let answer = try await world.call(
        .POST, "users/join", key: email == emails[.pending] ? approvingKey : DevelopmentKey.october2024,
        .json(["email": .text(email), "password": .text(World.password), "nickname": .text(String(email.prefix(20)))]))
      try #require(answer.status == 200)
      if email != emails[.unconfirmed] { _ = try await madang.confirmAddress(of: email, by: .hana) }
    }
    let owner = try #require(emails[.owner])
    // The first session outlives its refresh token, the second its access token only.
    let expiredRefresh = try await Self.signIn(world, owner, edition.edition)
    world.clock.advance(milliseconds: world.server.madang.settings.sessions.refreshLifetime - 3_600_000)
    let expiredAccess = try await Self.signIn(world, owner, edition.edition)
    world.clock.advance(milliseconds: world.server.madang.settings.sessions.accessLifetime + 3_600_000)

    let key = edition.edition.developmentKey
    let otherEdition = try #require(EditionName.allCases.first { $0 != edition.edition })
    let other = try await Self.signIn(world, owner, otherEdition)
    let keeper = try await Self.signIn(world, owner, edition.edition)
    var credentials: [Role: Credentials] = [
      .nobody: Credentials(key: key),
      .otherEdition: Credentials(
        key: key, accessToken: other.accessToken, refreshToken: other.refreshToken, cookie: other.cookie),
      .expired: Credentials(
        key: key, accessToken: expiredAccess.accessToken, refreshToken: expiredRefresh.refreshToken,
        cookie: expiredRefresh.cookie),
      .refreshToken: Credentials(key: key, accessToken: keeper.refreshToken, refreshToken: keeper.refreshToken),
      .expiredRefreshToken: Credentials(
        key: key, accessToken: expiredRefresh.refreshToken, refreshToken: expiredRefresh.refreshToken),
    ]
    var builders: [Role: Account] = [:]
    var ids = ["guest": try await Self.signIn(world, Self.guest, edition.edition).id]
    for (role, email) in emails {
      builders[role] = try await Self.signIn(world, email, .october2024)
      let account = try await Self.signIn(world, email, edition.edition)
      ids[role.rawValue] = account.id
      credentials[role] = Credentials(
        key: key, accessToken: account.accessToken, refreshToken: account.refreshToken, cookie: account.cookie)
    }
    let good = try #require(credentials[.owner])
    credentials[.wrongKey] = Credentials(
      key: "wrong", accessToken: good.accessToken, refreshToken: good.refreshToken)
    self.credentials = credentials
    self.builders = builders
    self.ids = ids
  }

  /// A workspace as the table's columns know it, with the values of path parameters in this edition.
  struct Scene: Sendable {
    var parameters: [String: String] = [:]
    fileprivate(set) var channelID = ""
    /// A stored path of each folder.
    fileprivate(set) var files: [String: String] = [:]
  }

  func scene() async throws -> Scene {
    var scene = Scene()
    func build(_ role: Role, _ method: HTTPMethod, _ path: String, _ body: World.Body = .none) async throws -> JSON {
      try await Self.success(world, method, path, builders[role]?.accessToken, body)
    }
    func add(_ path: JSON?) {
      let path = path?.string ?? ""
      scene.files[String(path.split(separator: "/").dropFirst().first ?? "")] = path
    }
    let name = "courtyard \(UUID().uuidString.prefix(8))"
    let image = World.Part.file("image", Sample.png)
    add(try await build(.owner, .PUT, "users/me/image", .multipart([image]))["profileImage"])
    let workspace = try await build(.owner, .POST, "workspaces", .multipart([.text("name", name), image]))
    add(workspace["coverImage"])
    let workspaceID = try #require(workspace["workspace_id"]?.string)
    let path = "workspaces/\(workspaceID)"
    for email in [.member, .channelMember, .channelOwner].compactMap({ builders[$0]?.email }) + [Self.guest] {
      _ = try await build(.owner, .POST, "\(path)/members", .json(["email": .text(email)]))
    }
    let channel = try await build(
      .channelOwner, .POST, "\(path)/channels", .multipart([.text("name", "garden"), image]))
    add(channel["coverImage"])
    let channelID = try #require(channel["channel_id"]?.string)
    _ = try await build(.channelMember, .GET, "\(path)/channels/\(channelID)/chats")
    let partner = try #require(builders[.channelMember]?.id)
    let room = try await build(.channelOwner, .POST, "\(path)/dms", .json(["opponent_id": .text(partner)]))
    let roomID = try #require(room["room_id"]?.string)
    for chats in ["\(path)/channels/\(channelID)/chats", "\(path)/dms/\(roomID)/chats"] {
      add(try await build(.channelOwner, .POST, chats, .multipart([.file("files", Sample.jpeg)]))["files"]?[0])
    }
    scene.parameters = ["workspace": workspaceID, "channel": channelID, "room": roomID]
    scene.channelID = channelID
    if edition.edition == .january2024 { try await translate(&scene, name: name) }
    scene.parameters["user"] = ids[Role.channelMember.rawValue]
    return scene
  }

  /// Puts the ids of edition 2024-01 in place.
  private func translate(_ scene: inout Scene, name: String) async throws {
    func get(_ path: String) async throws -> JSON {
      let credentials = try #require(credentials[.channelOwner])
      let answer = try await world.call(.GET, path, token: credentials.accessToken, key: credentials.key)
      return try answer.json
    }
    let workspace = try await get("workspaces").list?.first { $0["name"] == .text(name) }
    let id = try #require(workspace?["workspace_id"]?.int)
    let channel = try await get("workspaces/\(id)/channels/garden")["channel_id"]?.int
    let room = try await get("workspaces/\(id)/dms")[0]?["room_id"]?.int
    scene.parameters = ["workspace": "\(id)", "channel": "garden", "room": "\(try #require(room))"]
    scene.channelID = "\(try #require(channel))"
  }

  /// Calls an operation in a scene; the request is valid unless another body or query is given.
  func call(
    _ operation: APIDescription.Operation, as role: Role, in scene: Scene, body: World.Body? = nil, query: String? = nil
  ) async throws -> World.Answer {
    let path = try operation.path { name in
      switch (operation.id, name) {
      // One path, two meanings: GET takes a person, POST a room.
      case ("directMessageHistory", "id"): try #require(ids["guest"])
      case (_, "id"): try #require(scene.parameters["room"])
      default: try #require(scene.parameters[name], "{\(name)}")
      }
    }
    let body = if let body { body } else { try await validBody(of: operation) }
    let credentials = try #require(credentials[role])
    let isRefresh = operation.access == "\(Access.refreshToken)"
    let headers = isRefresh ? credentials.refreshToken.map { [(HeaderName.refreshToken, $0)] } : nil
    let query = query ?? (operation.queries.contains("keyword") ? "?keyword=a" : "")
    return try await world.call(
      operation.method, path + query, token: isRefresh ? nil : credentials.accessToken, key: credentials.key,
      headers: headers ?? [], body)
  }

  private func validBody(of operation: APIDescription.Operation) async throws -> World.Body {
    guard operation.hasBody else { return .none }
    let unique = String(UUID().uuidString.prefix(12))
    let password = JSON.text(World.password)
    switch operation.id {
    case "validateEmail": return .json(["email": .text("\(unique)@example.com")])
    case "signUp": return .json(["email": .text("\(unique)@example.com"), "password": password, "nickname": "Sora"])
    case "signIn", "signInNested": return .json(["email": .text(Self.guest), "password": password])
    case "signInWithApple": return .json(["idToken": try await socialToken("apple", unique), "nickname": "Sora"])
    case "signInWithKakao": return .json(["oauthToken": try await socialToken("kakao", unique)])
    case "validatePayment":
      let payment = try await develop("payments", ["merchant_uid": .text(unique), "amount": 100])
      return .json(["imp_uid": try #require(payment["imp_uid"]), "merchant_uid": .text(unique)])
    case "setDeviceToken": return .json(["deviceToken": "f00dcafe"])
    case "editMe": return .json(["phone": "010-1234-5678"])
    case "editPicture": return .multipart([.file("image", Sample.png)])
    case "createWorkspace", "editWorkspace", "createChannel", "editChannel": return .json(["name": .text(unique)])
    case "invite": return .json(["email": .text(Self.newcomer)])
    case "handOverWorkspace", "handOverChannel":
      return .json(["owner_id": .text(try #require(ids[Role.channelMember.rawValue]))])
    case "postToChannel", "postToDirectMessage": return .json(["content": "hello"])
    case "openDirectMessage": return .json(["opponent_id": .text(try #require(ids["guest"]))])
    default: throw APIDescription.Unreadable(reason: "\(operation.id): no valid body is known")
    }
  }

  private func socialToken(_ provider: String, _ subject: String) async throws -> JSON {
    let person: JSON = [
      "provider": .text(provider), "subject": .text(subject), "email": .text("\(subject)@example.com"),
      "nickname": "Sora",
    ]
    return try #require(try await develop("social-tokens", person)["token"])
  }

  /// Makes a development call.
  private func develop(_ path: String, _ body: JSON) async throws -> JSON {
    try await world.call(.POST, "/_dev/\(path)", key: nil, .json(body)).json
  }

  private static func signIn(_ world: World, _ email: String, _ edition: EditionName) async throws -> Account {
    let answer = try await world.call(
      .POST, edition == .january2024 ? "/v2/users/login" : "users/login", key: edition.developmentKey,
      .json(["email": .text(email), "password": .text(World.password)]))
    try #require(answer.status == 200, "\(email): \(String(decoding: answer.body, as: UTF8.self))")
    let login = try answer.json
    let id = login["user_id"]?.string ?? login["user_id"]?.int.map(String.init)
    return Account(
      id: try #require(id), email: email, accessToken: try #require(login["token"]?["accessToken"]?.string),
      refreshToken: try #require(login["token"]?["refreshToken"]?.string), cookie: try #require(answer.cookie))
  }

  private static func success(
    _ world: World, _ method: HTTPMethod, _ path: String, _ token: String?, _ body: World.Body
  ) async throws -> JSON {
    let answer = try await world.call(method, path, token: token, body)
    try #require(answer.status == 200, "\(method) \(path): \(String(decoding: answer.body, as: UTF8.self))")
    return try answer.json
  }
}
