import Foundation
import MadangAPI
import MadangCore
import MadangOperations
import MadangProviders
import MadangServer
import NIOHTTP1
import Support
import Testing

/// Odd requests that only clients of edition 2024-01 send (wire contract, Editions side by side).
@Suite("Edition 2024-01: odd clients", .timeLimit(.minutes(5)))
struct January2024ClientsTests {
  static let key = DevelopmentKey.january2024

  @Test("a blank before the token is trimmed, and a picture or sign-out without a token is E02")
  func headers() async throws {
    try await World.run(.sqlite) { (world) async throws in
      let mina = try await world.signUp("Mina", through: .january2024)
      #expect(try await world.call(.GET, "users/my", token: " \(mina.token)", key: Self.key).status == 200)
      let picture = "static/workspaceCoverImages/default.png"
      #expect(try await world.call(.GET, picture, key: nil).code == "E01")
      for token in [nil, "", " "] as [String?] {
        #expect(try await world.call(.GET, picture, token: token, key: Self.key).code == "E02")
        #expect(try await world.call(.GET, "users/logout", token: token, key: Self.key).code == "E02")
      }
      #expect(try await mina.call(.GET, "users/my").status == 200)
    }
  }

  @Test("an access token lives a day and a refresh token 30 days, to the millisecond")
  func lifetimes() async throws {
    try await World.run(.sqlite) { (world) async throws in
      let mina = try await world.signUp("Mina", through: .january2024)
      let day: Int64 = 24 * 3_600_000
      world.clock.advance(milliseconds: day - 1)
      #expect(try await mina.call(.GET, "users/my").status == 200)
      world.clock.advance(milliseconds: 1)
      #expect(try await mina.call(.GET, "users/my").code == "E05")
      world.clock.advance(milliseconds: 29 * day - 1)
      #expect(try await January2024AccountFlowsTests.refresh(mina, mina.token).status == 200)
      world.clock.advance(milliseconds: 1)
      #expect(try await January2024AccountFlowsTests.refresh(mina, mina.token).code == "E06")
    }
  }

  @Test("each of many requests that meet one expiry may refresh", arguments: TestEngine.available)
  func parallelRefresh(_ engine: TestEngine) async throws {
    try await World.run(engine) { (world) async throws in
      let mina = try await world.signUp("Mina", through: .january2024)
      world.clock.advance(milliseconds: 24 * 3_600_000)
      let tokens = try await withThrowingTaskGroup(of: JSON?.self) { group in
        for _ in 0..<30 {
          group.addTask { try await January2024AccountFlowsTests.refresh(mina, mina.token).json["accessToken"] }
        }
        return try await group.reduce(into: []) { $0.append($1) }
      }
      for token in Set(tokens.map { $0?.string ?? "none" }) {
        #expect(try await world.call(.GET, "users/my", token: token, key: Self.key).status == 200)
      }
    }
  }

  @Test("no wait of a call is longer than the 5 seconds after which clients give up")
  func patience() {
    let settings = ServerSettings()
    #expect(settings.providers.timeout < .seconds(5))
    #expect(settings.sockets.hold < .seconds(5))
  }

  @Test("two slashes at the start and unknown query keys are ignored, and empty paths are E97")
  func paths() async throws {
    try await World.run(.sqlite) { (world) async throws in
      let mina = try await world.signUp("Mina", through: .january2024)
      let path = try await mina.workspace()
      for target in ["//v1/\(path)", "//v1//\(path)//channels/", "/v1/\(path)/channels?name=x&workspace_id=3&name=y"] {
        #expect(try await mina.call(.GET, target).status == 200, "\(target)")
      }
      for target in ["/v1", "/v1/", "/v1/users/", "/v1/v1/users/my", "/v2/users/my"] {
        #expect(try await mina.code(.GET, target) == "E97", "\(target)")
      }
      let body = World.Body.json(["name": "x"])
      #expect(try await mina.call(.POST, "//v1/\(path)/channels?userID=1", body).status == 200)
    }
  }

  @Test("every body without a file may be a form, and JSON may be labelled a form or not at all")
  func forms() async throws {
    try await World.run(.sqlite) { (world) async throws in
      let mina = try await world.signUp("Mina", through: .january2024)
      _ = try await world.signUp("Joon", through: .january2024)
      let path = try await mina.workspace()
      let form = "application/x-www-form-urlencoded"
      let calls: [(HTTPMethod, String, String, String)] = [
        (.POST, "users/validation/email", "email=free%40example.com", #"{"email":"free@example.com"}"#),
        (
          .POST, "users/login", "email=mina%40example.com&password=Passw0rd%21",
          #"{"email":"mina@example.com","password":"Passw0rd!"}"#
        ),
        (
          .POST, "/v2/users/login", "email=mina%40example.com&password=Passw0rd%21",
          #"{"email":"mina@example.com","password":"Passw0rd!"}"#
        ),
        (.POST, "users/deviceToken", "deviceToken=Optional%28%22x%22%29", #"{"deviceToken":"Optional(\"x\")"}"#),
        (.PUT, "users/my", "nickname=M&phone=", #"{"nickname":"Mi","phone":null}"#),
        (.POST, "\(path)/channels", "name=form&description=d", #"{"name":"json","description":null}"#),
        (.PUT, "\(path)/channels/form", "name=form&description=", #"{"name":"form"}"#),
        (.POST, "\(path)/channels/form/chats", "content=a+b", #"{"content":"a b"}"#),
        (.PUT, path, "name=Renamed&description=Optional%28%22x%22%29", #"{"name":"Weekend"}"#),
      ]
      for (method, target, encoded, json) in calls {
        for body: World.Body in [.form(encoded), .raw(json, type: form), .raw(json, type: nil)] {
          let code = try await mina.code(method, target, body)
          // The second JSON body makes what the first one made.
          #expect(code == nil || code == "E12" && target.hasSuffix("/channels"), "\(method) \(target) \(body)")
        }
      }
      let invite = World.Body.form("email=joon%40example.com")
      #expect(try await mina.call(.POST, "\(path)/members", invite).status == 200)
      for body: World.Body in [.raw("\"text\"", type: "application/json"), .none, .json(["nmae": "x"])] {
        #expect(try await mina.code(.POST, "\(path)/channels", body) == "E11")
      }
    }
  }

  @Test(
    "misspelt form fields and unknown query keys are ignored",
    arguments: TestEngine.available)
  func misspeltFields(_ engine: TestEngine) async throws {
    try await World.run(engine) { (world) async throws in
      let mina = try await world.signUp("Mina", through: .january2024)
      let path = try await mina.workspace()
      let calls: [(HTTPMethod, String, String)] = [
        (.POST, "users/join?page=1", "email=sora%40example.com&password=Passw0rd%21&nickname=Sora&diviceToken=x"),
        (.POST, "users/login?type=email", "email=mina%40example.com&password=Passw0rd%21&diviceToken=x"),
        (.POST, "\(path)/channels?userID=1", "name=form&desctiption=text"),
        (.PUT, "\(path)/channels/form?x=y", "name=renamed&desctiption=text"),
        (.PUT, "\(path)?x", "name=Builders&desctiption=text"),
        (.POST, "\(path)/channels/renamed/chats?content=other", "content=hello&conten=x"),
        (.PUT, "users/my?nickname=Other", "nickname=M&phnoe=1"),
      ]
      for (method, target, form) in calls {
        let answer = try await mina.call(method, target, .form(form))
        #expect(answer.status == 200, "\(method) \(target): \(answer.code ?? "")")
        if let description = try? answer.json["description"] { #expect(description == "", "\(target)") }
      }
      #expect(try await mina.get("users/my")["nickname"] == "M")
      #expect(try await mina.get("\(path)/channels/renamed/chats")[0]?["content"] == "hello")
    }
  }

  @Test(
    "a file part counts, and a text part of the same name is ignored",
    arguments: TestEngine.available)
  func pictureTwice(_ engine: TestEngine) async throws {
    try await World.run(engine) { (world) async throws in
      let mina = try await world.signUp("Mina", through: .january2024)
      let image = World.Part.file("image", Sample.png)
      let text = World.Part.text("image", "<3 bytes of a description>")
      for (index, parts) in [[image, text], [text, image]].enumerated() {
        let made = try await mina.success(
          .POST, "workspaces", .multipart([.text("name", "W\(index)")] + parts))
        #expect(made["thumbnail"]?.string?.hasSuffix("/default.png") == false)
        let path = "workspaces/\(try #require(made["workspace_id"]?.int))"
        let edited = try await mina.success(.PUT, path, .multipart(parts))
        #expect(edited["thumbnail"] != made["thumbnail"])
        let profile = try await mina.success(.PUT, "users/my/image", .multipart(parts))
        #expect(profile["profileImage"]?.string?.hasPrefix("/static/profiles/") == true)
        let files = [World.Part.file("files", Sample.png), .text("files", "file0.png")]
        let chat = try await mina.success(
          .POST, "\(path)/channels/\(percentEncoded("일반"))/chats", .multipart(index == 0 ? files : files.reversed()))
        #expect(chat["files"]?.list?.count == 1)
      }
    }
  }

  @Test(
    "a cursor that ends in +0000 names the same chat as one that ends in Z",
    arguments: TestEngine.available, EditionName.allCases)
  func offsetWithoutColon(_ engine: TestEngine, _ edition: EditionName) async throws {
    try await World.run(engine) { (world) async throws in
      let mina = try await world.signUp("Mina", through: edition)
      let channel = try await mina.channel("ios", in: try await mina.workspace())
      var dates: [String] = []
      for text in ["one", "two", "three"] {
        dates.append(try #require(try await mina.say(text, in: channel)["createdAt"]?.string))
        world.clock.advance(milliseconds: 10)
      }
      for zone in ["%2B0000", "+0000", "%2B00:00", "%20%30000"] {
        let cursor = String(dates[1].dropLast()) + zone
        let chats = try await mina.get("\(channel)/chats?cursor_date=\(cursor)").list
        #expect(chats?.map { $0["content"] } == ["three"], "\(cursor)")
      }
    }
  }

  @Test("a picture with its ETag in If-None-Match is answered 304")
  func pictures() async throws {
    try await World.run(.sqlite) { (world) async throws in
      let mina = try await world.signUp("Mina", through: .january2024)
      let path = try await mina.workspace()
      let thumbnail = "/v1" + (try #require(try await mina.get(path)["thumbnail"]?.string))
      let tag = try #require(try await mina.call(.GET, thumbnail).headers.first(name: "ETag"))
      for _ in 0..<3 {
        let answer = try await mina.call(.GET, thumbnail, headers: [("If-None-Match", tag)])
        #expect(answer.status == 304 && answer.body.isEmpty)
      }
    }
  }

  @Test("a refusal is 400 with one code of the contract, and no success has one")
  func codes() async throws {
    try await World.run(.sqlite) { (world) async throws in
      let mina = try await world.signUp("Mina", through: .january2024)
      let path = try await mina.workspace()
      for (method, target, code) in [
        (.GET, "users/999", "E03"), (.GET, "workspaces/999", "E13"), (.POST, "workspaces", "E11"),
        (.GET, "\(path)/leave", "E15"), (.PATCH, path, "E97"), (.GET, "workspaces/x/y/z", "E97"),
      ] as [(HTTPMethod, String, String)] {
        let answer = try await mina.call(method, target)
        #expect(answer.status == 400 && answer.code == code, "\(method) \(target)")
      }
      for target in ["users/my", "workspaces", path, "\(path)/channels", "\(path)/dms"] {
        let answer = try await mina.call(.GET, target)
        #expect(answer.status == 200 && !String(decoding: answer.body, as: UTF8.self).contains("errorCode"))
      }
    }
  }

  @Test(
    "nulls are written, texts are never null, a key has one spelling, and ids are integers",
    arguments: TestEngine.available)
  func shapes(_ engine: TestEngine) async throws {
    try await World.run(engine) { (world) async throws in
      let yard = try await world.courtyard(through: .january2024)
      let channel = try await yard.a.channel("ios", in: yard.w)
      _ = try await yard.a.say("hi", in: channel)
      _ = try await yard.a.directMessage(with: yard.b, in: yard.w)
      let targets = [
        "users/my", "users/\(yard.b.id)", "workspaces", yard.w, "\(yard.w)/members", "\(yard.w)/channels", channel,
        "\(channel)/chats", "\(channel)/unreads", "\(yard.w)/dms", "\(yard.w)/dms/\(yard.b.id)/chats",
      ]
      for target in targets { Self.check(try await yard.a.get(target), target) }
    }
  }

  /// Holds the rules of every object, however deep.
  private static func check(_ json: JSON, _ place: String) {
    for element in json.list ?? [] { check(element, place) }
    guard case .object(let object) = json else { return }
    let camels = object.keys.map { $0.split(separator: "_").map { $0.lowercased() }.joined() }
    #expect(Set(camels).count == object.count, "\(place)")
    for (key, value) in object {
      if key.hasSuffix("_id") { #expect(value.int ?? 0 > 0, "\(place): \(key)") }
      if value == .null { #expect(["profileImage", "vendor"].contains(key), "\(place): \(key)") }
      if key == "private" { #expect(value == 0, "\(place)") }
      if ["content", "description", "phone", "thumbnail"].contains(key) { #expect(value.string != nil, "\(place)") }
      check(value, "\(place) \(key)")
    }
    if object["email"] != nil { #expect(object["profileImage"] == .null, "\(place)") }
  }

  @Test("workspaces and channels come newest first, also when made within one millisecond")
  func orders() async throws {
    try await World.run(.sqlite) { (world) async throws in
      let mina = try await world.signUp("Mina", through: .january2024)
      let path = try await mina.workspace("W0")
      for index in 1...4 {
        _ = try await mina.workspace("W\(index)")
        _ = try await mina.channel("C\(index)", in: path)
      }
      #expect(try await mina.get("workspaces").list?.map { $0["name"] } == ["W4", "W3", "W2", "W1", "W0"])
      for list in ["channels", "channels/my"] {
        let names = try await mina.get("\(path)/\(list)").list?.map { $0["name"] }
        #expect(names == ["C4", "C3", "C2", "C1", "일반"])
      }
    }
  }
}
