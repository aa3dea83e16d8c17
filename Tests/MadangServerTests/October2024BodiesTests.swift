import MadangAPI
import MadangCore
import MadangServer
import NIOHTTP1
import Support
import Testing

/// Odd requests of real clients (wire contract, Request bodies; File types).
@Suite("Edition 2024-10: bodies and files", .timeLimit(.minutes(5)))
struct October2024BodiesTests {
  static let typed = "\r\nContent-Type: image/jpeg"

  @Test("every route with a body takes JSON and multipart", arguments: TestEngine.available)
  func encodings(_ engine: TestEngine) async throws {
    try await World.run(engine) { (world) async throws in
      let a = try await world.signUp("Mina")
      let forms: [(String) -> World.Body] = [
        { .json(["name": .text($0), "content": .text($0)]) },
        { .multipart([.text("name", $0), .text("content", $0)]) },
        { .form("name=\($0)&content=\($0)") },
      ]
      for (index, form) in forms.enumerated() {
        let name = "N\(index)"
        let made = try await a.success(.POST, "workspaces", form(name))
        let w = "workspaces/\(try #require(made["workspace_id"]?.string))"
        #expect(try await a.success(.PUT, w, form("\(name)x"))["name"] == .text("\(name)x"))
        let channel = try await a.success(.POST, "\(w)/channels", form(name))
        let path = "\(w)/channels/\(try #require(channel["channel_id"]?.string))"
        #expect(try await a.success(.PUT, path, form("\(name)x"))["name"] == .text("\(name)x"))
        #expect(try await a.success(.POST, "\(path)/chats", form(name))["content"] == .text(name))
      }
    }
  }

  @Test("a bare string, an empty body and misspelt keys are E11 on every route with a body")
  func unreadable() async throws {
    try await World.run(.sqlite) { (world) async throws in
      let yard = try await world.courtyard()
      let (a, w) = (yard.a, yard.w)
      let channel = try await a.channel("ios", in: w)
      let routes: [(HTTPMethod, String)] = [
        (.POST, "users/validation/email"), (.POST, "users/join"), (.POST, "users/login"), (.POST, "users/login/apple"),
        (.POST, "users/login/kakao"), (.POST, "users/deviceToken"), (.PUT, "users/me/image"), (.POST, "workspaces"),
        (.POST, "\(w)/members"), (.PUT, "\(w)/transfer/ownership"), (.POST, "\(w)/channels"),
        (.PUT, "\(channel)/transfer/ownership"), (.POST, "\(channel)/chats"), (.POST, "\(w)/dms"),
        (.POST, "store/pay/validation"),
      ]
      let bodies: [World.Body] = [
        .none, .raw("\"text\"", type: "application/json"), .json(["emial": "x", "Name": "x", "ownerId": "x"]),
        .raw("[]", type: nil), .raw("{\"name\":", type: "application/json"),
        .raw("--", type: "multipart/form-data; boundary=x"), .raw("a=%ED%A0%80&name=%ff&email=%ff", type: nil),
      ]
      for (method, path) in routes {
        for body in bodies {
          let answer = try await a.call(method, path, body)
          #expect(answer.status == 400 && answer.code == "E11", "\(method) \(path) \(body)")
        }
      }
    }
  }

  @Test("a device token is any text, under either name, or none")
  func deviceToken() async throws {
    try await World.run(.sqlite) { (world) async throws in
      let a = try await world.signUp("Mina")
      let tokens: [[String: JSON]] = [
        [:], ["deviceToken": ""], ["deviceToken": nil], ["deviceToken": "Optional(\"x\")"], ["device_token": "fcm:각"],
        ["deviceToken": .text(String(repeating: "x", count: 4096))],
      ]
      for token in tokens {
        let fields: [String: JSON] = ["email": .text(a.email), "password": .text(World.password)]
        let body = JSON.object(fields.merging(token) { $1 })
        #expect(try await world.call(.POST, "users/login", .json(body)).status == 200, "\(token)")
      }
      let long = JSON.text(String(repeating: "x", count: 4097))
      #expect(try await a.code(.POST, "users/deviceToken", .json(["deviceToken": long])) == "E11")
    }
  }

  @Test(
    "an edit changes only the fields it names, and an object's own name is not a duplicate",
    arguments: TestEngine.available)
  func partialEdits(_ engine: TestEngine) async throws {
    try await World.run(engine) { (world) async throws in
      let a = try await world.signUp("Mina")
      let w = try await a.workspace()
      _ = try await a.put("users/me", ["phone": "010-1234-5678"])
      #expect(try await a.put("users/me", ["nickname": "June"])["phone"] == "010-1234-5678")
      let both = try await a.put("users/me", ["nickname": "June", "phone": ""])
      #expect(both["phone"] == "" && both["nickname"] == "June")
      let same: JSON = ["name": "Weekend Builders", "description": "x"]
      #expect(try await a.put(w, same)["description"] == "x")
      #expect(try await a.put(w, ["name": "", "description": nil]) == (try await a.put(w, same)))
      #expect(try await a.put(w, ["description": ""])["description"] == "")
      let channel = try await a.channel("ios", in: w)
      for _ in 0..<2 {
        let edited = try await a.put(channel, ["name": " ios ", "description": "same"])
        #expect(edited["name"] == "ios" && edited["description"] == "same")
      }
    }
  }

  @Test(
    "a part without a file name is text, whatever its type, in any order",
    arguments: TestEngine.available)
  func textParts(_ engine: TestEngine) async throws {
    try await World.run(engine) { (world) async throws in
      let a = try await world.signUp("Mina")
      let parts: [World.Part] = [
        .file("image", Sample.png), .text("description", "설명", extra: "; filename=\"\"\(Self.typed)"),
        .text("name", "W", extra: Self.typed),
      ]
      for (index, order) in [parts, parts.reversed(), [parts[1], parts[0], parts[2]]].enumerated() {
        let made = try await a.success(.POST, "workspaces", .multipart(order))
        #expect(made["name"] == "W" && made["description"] == "설명")
        #expect(made["coverImage"]?.string?.hasSuffix("default.png") == false)
        let w = "workspaces/\(try #require(made["workspace_id"]?.string))"
        #expect(try await a.put(w, ["name": .text("W\(index)")])["name"] == .text("W\(index)"))
      }
    }
  }

  @Test("an empty image part gives the default picture on creation and keeps the old one on edit")
  func emptyImage() async throws {
    try await World.run(.sqlite) { (world) async throws in
      let a = try await world.signUp("Mina")
      for (index, empty) in [World.Part.file("image", []), .text("image", "", extra: "; filename=\"\"")].enumerated() {
        let name = World.Part.text("name", "W\(index)")
        let made = try await a.success(.POST, "workspaces", .multipart([name, empty]))
        #expect(made["coverImage"] == "/static/workspaceCoverImages/default.png")
        let w = "workspaces/\(try #require(made["workspace_id"]?.string))"
        let cover = try await a.success(.PUT, w, .multipart([.file("image", Sample.png)]))["coverImage"]
        #expect(try await a.success(.PUT, w, .multipart([name, empty]))["coverImage"] == cover)
        #expect(try await a.code(.PUT, "users/me/image", .multipart([empty])) == "E11")
      }
    }
  }

  @Test("every file part of a chat is an attachment, under a name made by the server", arguments: TestEngine.available)
  func attachments(_ engine: TestEngine) async throws {
    try await World.run(engine) { (world) async throws in
      let a = try await world.signUp("Mina")
      let channel = try await a.channel("ios", in: try await a.workspace())
      let names = ["2024-12-13 07:05:30 +0000.jpeg", "그림", "a.jpg", "a.jpg", "..%2F..\\x;y"]
      for content in [World.Part.text("content", ""), .text("x", "")] {
        let files = names.enumerated().map { World.Part.file("file\($0)", Sample.jpeg, filename: $1) }
        let chat = try await a.success(.POST, "\(channel)/chats", .multipart([content] + files))
        #expect(chat["content"] == "")
        let paths = chat["files"]?.list?.compactMap(\.string) ?? []
        #expect(Set(paths).count == 5)
        for path in paths {
          #expect(path.wholeMatch(of: /\/static\/channelChats\/[A-Za-z0-9_-]+\.jpeg/) != nil, "\(path)")
        }
      }
    }
  }

  @Test(
    "the bytes of a file decide its type, not the declared one",
    arguments: ["image/jpg", "application/octet-stream", "text/plain", "image/png", ""])
  func declaredType(_ type: String) async throws {
    try await World.run(.sqlite) { (world) async throws in
      let a = try await world.signUp("Mina")
      let upload = { (bytes: [UInt8]) in
        try await a.call(.PUT, "users/me/image", .multipart([.file("image", bytes, filename: "x.txt", type: type)]))
      }
      for (bytes, detected) in [(Sample.png, "image/png"), (Sample.gif, "image/gif"), (Sample.webp, "image/webp")] {
        let path = try #require(try await upload(bytes).json["profileImage"]?.string)
        #expect(try await a.call(.GET, "/v1\(path)").headers["content-type"] == [detected])
      }
      #expect(try await upload(Sample.text).code == "E11")
    }
  }

  @Test("the boundary may follow its semicolon without a blank, or be quoted")
  func boundary() async throws {
    try await World.run(.sqlite) { (world) async throws in
      let a = try await world.signUp("Mina")
      let types = [
        "multipart/form-data;boundary=b1", "multipart/form-data; boundary=\"b1\"",
        "Multipart/Form-Data;x=y;boundary=b1",
      ]
      for type in types {
        let body = "--b1\r\nContent-Disposition: form-data; name=\"nickname\"\r\n\r\nMina\r\n--b1--\r\n"
        #expect(try await a.call(.PUT, "users/me", .raw(body, type: type)).status == 200, "\(type)")
      }
    }
  }

  @Test("a boundary has 256 bytes at most, named by the content type or by the body", arguments: [255, 256, 257, 8000])
  func boundarySizes(_ size: Int) async throws {
    try await World.run(.sqlite) { (world) async throws in
      let a = try await world.signUp("Mina")
      let boundary = String(repeating: "b", count: size)
      let body = "--\(boundary)\r\nContent-Disposition: form-data; name=\"nickname\"\r\n\r\nMina\r\n--\(boundary)--\r\n"
      for type in ["multipart/form-data; boundary=\(boundary)", nil] {
        let answer = try await a.call(.PUT, "users/me", .raw(body, type: type))
        #expect(answer.status == (size <= 256 ? 200 : 400) && answer.code == (size <= 256 ? nil : "E11"))
      }
    }
  }

  @Test("five files of 7 MiB are accepted, and beyond a limit nothing is stored", arguments: TestEngine.available)
  func sizes(_ engine: TestEngine) async throws {
    try await World.run(engine) { (world) async throws in
      let a = try await world.signUp("Mina")
      let channel = try await a.channel("ios", in: try await a.workspace())
      let file = { (size: Int) in World.Part.file("files", Sample.png + Array(repeating: 7, count: size)) }
      let five = World.Body.multipart((0..<5).map { _ in file(7 << 20) })
      #expect(try await a.success(.POST, "\(channel)/chats", five)["files"]?.list?.count == 5)
      let kept = try await world.files(in: "channelChats").count
      for body in [[file(10 << 20)], (0..<6).map { _ in file(1) }, (0..<6).map { _ in file(9 << 20) }] {
        #expect(try await a.code(.POST, "\(channel)/chats", .multipart(body)) == "E11")
      }
      #expect(try await world.files(in: "channelChats").count == kept)
      #expect(try await world.hasNoFiles(in: "uploads"))
    }
  }

  @Test("a stored path has three ASCII components and is never used twice")
  func paths() async throws {
    try await World.run(.sqlite) { (world) async throws in
      let a = try await world.signUp("Mina")
      let w = try await a.workspace()
      let picture = World.Body.multipart([.file("image", Sample.png, filename: "같은 이름.png")])
      var paths: [String] = []
      for _ in 0..<3 {
        paths.append(try #require(try await a.success(.PUT, "users/me/image", picture)["profileImage"]?.string))
        paths.append(try #require(try await a.success(.PUT, w, picture)["coverImage"]?.string))
      }
      #expect(Set(paths.map { $0.split(separator: "/").last }).count == 6)
      for path in paths {
        #expect(path.wholeMatch(of: /\/static\/[A-Za-z]+\/[A-Za-z0-9_-]+\.png/) != nil, "\(path)")
      }
    }
  }

  @Test("a refreshed token downloads pictures at once")
  func refreshedToken() async throws {
    try await World.run(.sqlite) { (world) async throws in
      let a = try await world.signUp("Mina")
      let picture = World.Body.multipart([.file("image", Sample.png)])
      let path = "/v1" + (try #require(try await a.success(.PUT, "users/me/image", picture)["profileImage"]?.string))
      world.clock.advance(milliseconds: 24 * 3_600_000 + 1)
      #expect(try await a.code(.GET, path) == "E05")
      let refreshed = try await October2024ClientsTests.refresh(a, a.token).json["accessToken"]?.string
      #expect(try await world.call(.GET, path, token: refreshed).body == Sample.png)
    }
  }

  @Test("a payment answers the coins bought, not the balance", arguments: TestEngine.available)
  func coinsBought(_ engine: TestEngine) async throws {
    try await World.run(engine) { (world) async throws in
      let a = try await world.signUp("Mina")
      for (index, amount) in [100, 1000, 100].enumerated() {
        let paid = try await world.payment("m\(index)", amount)
        #expect(
          try await October2024PaymentFlowsTests.validate(a, paid, "m\(index)").json["sesacCoin"]?.int == amount / 10)
      }
      #expect(try await a.get("users/me")["sesacCoin"] == 220)
    }
  }
}
