import MadangAPI
import MadangCore
import MadangServer
import NIOHTTP1
import Storage
import Support
import Testing

@Suite("Bad input", .timeLimit(.minutes(5)))
struct BadInputTests {
  /// What the database and the disk hold.
  static func contents(_ world: World) async throws -> [String: Int] {
    var contents: [String: Int] = [:]
    for table in ["users", "workspaces", "channels", "chats", "files", "payments", "sessions"] {
      contents[table] = try await world.server.madang.database.read {
        try $0.first("SELECT COUNT(*) AS rows FROM \(raw: table)") { try $0.get("rows") as Int }
      }
    }
    for folder in FileFolder.allCases.map(\.rawValue) + ["uploads"] {
      contents[folder] = try await world.files(in: folder).count
    }
    return contents
  }

  static let boundary = "cut"

  static func multipart(_ parts: [(name: String, filename: String?, bytes: [UInt8])]) -> [UInt8] {
    var body: [UInt8] = []
    for part in parts {
      let file = part.filename.map { "; filename=\"\($0)\"" } ?? ""
      body += Array("--\(boundary)\r\nContent-Disposition: form-data; name=\"\(part.name)\"\(file)\r\n\r\n".utf8)
      body += part.bytes + Array("\r\n".utf8)
    }
    return body + Array("--\(boundary)--".utf8)
  }

  @Test("a body cut off anywhere is E11, and nothing of it is kept", arguments: TestEngine.available)
  func cutOff(_ engine: TestEngine) async throws {
    try await World.run(engine) { (world) async throws in
      let a = try await world.signUp("Mina")
      let channel = try await a.channel("ios", in: try await a.workspace())
      let bodies: [([UInt8], String)] = [
        (
          Self.multipart([("content", nil, Array("hello".utf8)), ("files", "a.png", Sample.png)]),
          "multipart/form-data; boundary=\(Self.boundary)"
        ), (Array(#"{"content":"hello","files":[]}"#.utf8), "application/json"),
      ]
      for (body, type) in bodies {
        let before = try await Self.contents(world)
        for end in stride(from: 0, to: body.count, by: 3) {
          let answer = try await a.call(.POST, "\(channel)/chats", .bytes(Array(body[..<end]), type: type))
          #expect(answer.code == "E11", "cut after \(end)")
        }
        #expect(try await Self.contents(world) == before)
        #expect(try await a.call(.POST, "\(channel)/chats", .bytes(body, type: type)).status == 200)
      }
    }
  }

  @Test("a Content-Length that differs from the body stores nothing", arguments: TestEngine.available)
  func wrongLength(_ engine: TestEngine) async throws {
    try await World.run(engine) { (world) async throws in
      let a = try await world.signUp("Mina")
      let channel = try await a.channel("ios", in: try await a.workspace())
      let before = try await Self.contents(world)
      let body = Self.multipart([("content", nil, Array("hello".utf8)), ("files", "a.png", Sample.png)])
      let request = { (length: String) in
        Array(
          """
          POST /v1/\(channel)/chats HTTP/1.1\r\nHost: x\r\nSesacKey: \(DevelopmentKey.october2024)\r\n\
          Authorization: \(a.token)\r\nContent-Type: multipart/form-data; boundary=\(Self.boundary)\r\n\
          Content-Length: \(length)\r\n\r\n
          """.utf8) + body
      }
      // Longer than what comes: the client leaves before the end.
      _ = try await world.exchange(request("\(body.count + 100)"), leavesAtOnce: true)
      _ = try await world.exchange(Array(request("\(body.count)").dropLast(40)), leavesAtOnce: true)
      // Shorter: the body is cut off, and what follows is no request.
      let short = try await world.exchange(request("\(body.count - 30)")) { $0.contains("errorCode") }
      #expect(short.contains("HTTP/1.1 400") && short.contains(#"{"errorCode":"E11"}"#))
      for length in ["-1", "x", "99999999999999999999"] {
        let answer = try await world.exchange(request(length)) { $0.contains("\r\n\r\n") }
        #expect(answer.isEmpty || answer.hasPrefix("HTTP/1.1 400"), "\(length)")
      }
      #expect(try await World.eventually { try await Self.contents(world) == before })
      #expect(try await a.say("still here", in: channel)["content"] == "still here")
    }
  }

  @Test("bodies with too many parts, keys, headers or levels are E11 at once", arguments: TestEngine.available)
  func bombs(_ engine: TestEngine) async throws {
    try await World.run(engine) { (world) async throws in
      let a = try await world.signUp("Mina")
      let channel = try await a.channel("ios", in: try await a.workspace())
      let before = try await Self.contents(world)
      let parts = (0..<10_000).map { ("f\($0)", "x.png" as String?, Sample.png) }
      let type = "multipart/form-data; boundary=\(Self.boundary)"
      let deep = String(repeating: "[", count: 200_000)
      let objects = String(repeating: #"{"a":"#, count: 100_000)
      let bombs: [World.Body] = [
        .bytes(Self.multipart(parts), type: type),
        .bytes(Self.multipart(parts.map { ($0.0, nil, Array("x".utf8)) }), type: type),
        .raw(#"{"content":\#(deep)"#, type: "application/json"), .raw(deep, type: nil), .raw(objects, type: nil),
        .raw(#"{"content":\#(String(repeating: "[", count: 400))\#(String(repeating: "]", count: 400))}"#, type: nil),
        .bytes(Array("--\(Self.boundary)\r\n".utf8) + Array(repeating: UInt8(ascii: "x"), count: 100_000), type: type),
        .raw(String(repeating: "a=1&", count: 400_000), type: nil),
      ]
      for (index, bomb) in bombs.enumerated() {
        #expect(try await a.code(.POST, "\(channel)/chats", bomb) == "E11", "\(index)")
      }
      #expect(try await Self.contents(world) == before)
    }
  }

  @Test("NUL, lone surrogates and broken UTF-8 are E11 in every field and encoding", arguments: TestEngine.available)
  func text(_ engine: TestEngine) async throws {
    try await World.run(engine) { (world) async throws in
      let yard = try await world.courtyard()
      let (a, w) = (yard.a, yard.w)
      let channel = try await a.channel("ios", in: w)
      let before = try await Self.contents(world)
      let type = "multipart/form-data; boundary=\(Self.boundary)"
      let bad: [(String) -> World.Body] = [
        { .raw(#"{"\#($0)":"a\u0000b"}"#, type: "application/json") },
        { .raw(#"{"\#($0)":"a\ud800b"}"#, type: "application/json") },
        { .raw(#"{"\#($0)":"\udc00\ud800"}"#, type: "application/json") }, { .form("\($0)=a%00b") },
        { .form("\($0)=%ED%A0%80") }, { .form("\($0)=%C3%28") },
        { .bytes(Self.multipart([($0, nil, [0x61, 0, 0x62])]), type: type) },
        { .bytes(Self.multipart([($0, nil, [0xFF, 0xFE, 0x41])]), type: type) },
        { .bytes(Array(#"{"\#($0)":""#.utf8) + [0xC3, 0x28] + Array(#""}"#.utf8), type: "application/json") },
      ]
      let fields: [(HTTPMethod, String, String)] = [
        (.PUT, "users/me", "nickname"), (.PUT, "users/me", "phone"), (.PUT, w, "name"), (.PUT, w, "description"),
        (.PUT, channel, "name"), (.POST, "\(channel)/chats", "content"), (.POST, "users/validation/email", "email"),
        (.POST, "users/deviceToken", "deviceToken"), (.POST, "\(w)/channels", "name"),
      ]
      for (method, path, field) in fields {
        for (index, body) in bad.enumerated() {
          #expect(try await a.code(method, path, body(field)) == "E11", "\(path) \(field) \(index)")
        }
      }
      #expect(try await Self.contents(world) == before)
      #expect(try await a.get(w)["name"] == "Weekend Builders")
    }
  }

  @Test(
    "bidirectional controls, joined emoji and combining marks are text like any other", arguments: TestEngine.available)
  func unusualText(_ engine: TestEngine) async throws {
    try await World.run(engine) { (world) async throws in
      let a = try await world.signUp("Mina")
      let w = try await a.workspace()
      let channel = try await a.channel("ios", in: w)
      for text in ["a\u{202E}b\u{2066}c", "👩‍👩‍👧‍👦🏳️‍🌈", "e\u{301}\u{302}\u{303}", "\u{200F}\u{FEFF}x", "ﷺ\u{2028}"] {
        // Chats are stored verbatim, down to the bytes; names in NFC.
        let chat = try await a.say(text, in: channel)["content"]?.string
        #expect(chat.map { Array($0.utf8) } == Array(text.utf8))
        #expect(
          try await a.get("\(channel)/chats").list?.last?["content"]?.string.map { Array($0.utf8) } == Array(text.utf8))
        #expect(try await a.put(w, ["description": .text(text)])["description"] == .text(text))
      }
      // A family is one character, thirty of them are a name.
      let family = "👩‍👩‍👧‍👦"
      #expect(try await a.put(w, ["name": .text(String(repeating: family, count: 30))])["name"] != nil)
      #expect(try await a.code(.PUT, w, .json(["name": .text(String(repeating: family, count: 31))])) == "E11")
    }
  }
}
