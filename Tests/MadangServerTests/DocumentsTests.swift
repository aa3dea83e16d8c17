import Foundation
import MadangAPI
import NIOHTTP1
import Support
import Testing

@testable import MadangCore
@testable import MadangOperations
@testable import MadangServer

@Suite("Documents in chats", .timeLimit(.minutes(5)))
struct DocumentsTests {
  private static let compound: [UInt8] =
    [0xD0, 0xCF, 0x11, 0xE0, 0xA1, 0xB1, 0x1A, 0xE1] + Array(repeating: 0, count: 100)
  private static let film: [UInt8] = [0, 0, 0, 16] + Array("ftypisom".utf8) + [0, 0, 0, 0]
  private static let samples: [(name: String, bytes: [UInt8], type: MediaType)] = [
    ("발표.pptx", Sample.zip, .pptx), ("계약서.hwp", compound, .hwp), ("memo.txt", Sample.text, .txt),
    ("여행.MP4", film, .mp4), ("이력서 2.pdf", Sample.pdf, .pdf),
  ]

  private static func ask(
    _ world: World, _ person: TestPerson, _ path: String, method: String = "GET", _ headers: [(String, String)] = []
  ) async throws -> String {
    try await OperationsTests.ask(
      world, path, method: method,
      [(HeaderName.apiKey, person.edition.developmentKey), (HeaderName.authorization, person.token)] + headers)
  }

  @Test(
    "a chat's documents keep their names, come back as attachments, and look alike in answer, history and both editions",
    arguments: TestEngine.available, EditionName.allCases)
  func documents(_ engine: TestEngine, _ edition: EditionName) async throws {
    try await World.run(engine) { (world) async throws in
      let yard = try await world.courtyard()
      let channel = try await yard.a.channel("ios", in: yard.w)
      _ = try await yard.b.get("\(channel)/chats")
      let parts = Self.samples.map { World.Part.file("files", $0.bytes, filename: $0.name, type: "image/jpg") }
      let chat = try await yard.a.success(.POST, "\(channel)/chats", .multipart(parts))
      #expect(try await yard.b.get("\(channel)/chats") == .list([chat]))
      let paths = try #require(chat["files"]?.list).compactMap(\.string)
      #expect(paths.count == Self.samples.count)
      // Readers of the other edition find them, too.
      let reader = try await world.signIn(yard.b, through: edition)
      for (path, sample) in zip(paths, Self.samples) {
        let last = try #require(path.split(separator: "/").last)
        let shown = try #require(last.lastIndex(of: "_").map { String(last[..<$0]) })
        #expect(shown.removingPercentEncoding == sample.name.split(separator: ".").first.map(String.init))
        #expect(path.hasSuffix("." + sample.type.fileExtension))
        for form in [path, path.replacing("%", with: "%25")] {
          let answer = try await reader.call(.GET, "/v1\(form)")
          #expect(answer.body == sample.bytes)
          #expect(answer.headers["content-type"] == [sample.type.rawValue])
          #expect(answer.headers["content-disposition"] == ["attachment; filename*=UTF-8''\(last)"])
          #expect(answer.headers["x-content-type-options"] == ["nosniff"])
          #expect(answer.headers["etag"].count == 1)
        }
        #expect(try await yard.c.code(.GET, "/v1\(path)") == "E13")
      }
      // The name belongs to the path.
      let other = try #require(paths.last?.replacing(/[^\/]+_/, with: "other_"))
      #expect(try await yard.a.code(.GET, "/v1\(other)") == "E13")
      // No name of a client's comes to the disk or the bucket.
      for name in try await world.files(in: "channelChats") {
        #expect(name.wholeMatch(of: /[a-z0-9]+\.[a-z0-9]+/) != nil)
      }
    }
  }

  @Test("a file of another type is E11, and nothing of the request is stored", arguments: TestEngine.available)
  func refused(_ engine: TestEngine) async throws {
    try await World.run(engine) { (world) async throws in
      let yard = try await world.courtyard()
      let channel = try await yard.a.channel("ios", in: yard.w)
      for (name, bytes) in [
        ("a.png", Sample.text), ("a.html", Array("<script>".utf8)), ("a.txt", Sample.text + [0]),
        ("a.msi", Self.compound),
        ("a.odt", Sample.zip), ("a.exe", Array("MZ".utf8) + [0x90, 0]),
      ] {
        let body = World.Body.multipart([
          .text("content", "x"), .file("files", Sample.png), .file("files", bytes, filename: name),
        ])
        #expect(try await yard.a.code(.POST, "\(channel)/chats", body) == "E11", "\(name)")
      }
      #expect(try await yard.a.get("\(channel)/chats") == [])
      #expect(try await world.hasNoFiles(in: "channelChats", "uploads"))
      // Pictures are images only.
      for sample in Self.samples {
        let part = World.Part.file("image", sample.bytes, filename: sample.name)
        #expect(try await yard.a.code(.PUT, "users/me/image", .multipart([part])) == "E11")
      }
    }
  }

  @Test("files.types removes and adds types; images are always accepted", arguments: TestEngine.available)
  func types(_ engine: TestEngine) async throws {
    try await World.run(engine, settings: World.settings(\.files.types, [.pdf, .odt])) { (world) async throws in
      let yard = try await world.courtyard()
      let channel = try await yard.a.channel("ios", in: yard.w)
      for (name, bytes, code) in [
        ("a.pdf", Sample.pdf, nil), ("a.odt", Sample.zip, nil), ("a.png", Sample.png, nil),
        ("a.zip", Sample.zip, "E11"),
        ("a.txt", Sample.text, "E11"),
      ] as [(String, [UInt8], String?)] {
        let body = World.Body.multipart([.file("files", bytes, filename: name)])
        #expect(try await yard.a.code(.POST, "\(channel)/chats", body) == code, "\(name)")
      }
    }
  }

  @Test("a file name cannot inject a header or reach another path", arguments: TestEngine.available)
  func hostileNames(_ engine: TestEngine) async throws {
    try await World.run(engine) { (world) async throws in
      let yard = try await world.courtyard()
      let channel = try await yard.a.channel("ios", in: yard.w)
      for name in [
        "a\u{85}Set-Cookie: x=y.pdf", "../../../secrets/api-key.pdf", "..%2F..%2Fx.pdf", "%0d%0aX-Evil: 1.pdf",
        "\\\\server\\a.pdf",
        String(repeating: "한", count: 2000) + ".pdf", "\u{202E}fdp.exe.pdf", "....pdf",
      ] {
        let body = World.Body.multipart([.file("files", Sample.pdf, filename: name)])
        let chat = try await yard.a.success(.POST, "\(channel)/chats", body)
        let path = try #require(chat["files"]?[0]?.string)
        #expect(
          path.wholeMatch(of: /\/static\/channelChats\/([A-Za-z0-9._-]|%[0-9A-F]{2})+_[a-z0-9]+\.pdf/) != nil, "\(path)"
        )
        let answer = try await yard.a.call(.GET, "/v1\(path)")
        #expect(answer.body == Sample.pdf && answer.headers["x-evil"].isEmpty && answer.headers["set-cookie"].isEmpty)
      }
    }
  }

  @Test(
    "HEAD of a file answers like GET without bytes; elsewhere HEAD is E97",
    arguments: TestEngine.available)
  func head(_ engine: TestEngine) async throws {
    try await World.run(engine) { (world) async throws in
      let yard = try await world.courtyard()
      let channel = try await yard.a.channel("ios", in: yard.w)
      let chat = try await yard.a.success(
        .POST, "\(channel)/chats", .multipart([.file("files", Sample.pdf, filename: "a.pdf")]))
      let path = "/v1" + (try #require(chat["files"]?[0]?.string))
      let get = try await yard.a.call(.GET, path)
      let tag = try #require(get.headers["etag"].first)
      let head = try await Self.ask(world, yard.a, path, method: "HEAD")
      #expect(OperationsTests.status(head) == "200" && head.hasSuffix("\r\n\r\n"))
      let lowered = head.lowercased()
      for name in ["content-length", "content-type", "content-disposition", "etag", "accept-ranges", "cache-control"] {
        #expect(lowered.contains("\(name): \(get.headers[name].first ?? "")\r\n".lowercased()), "\(name)")
      }
      let part = try await Self.ask(world, yard.a, path, method: "HEAD", [("Range", "bytes=0-3")])
      #expect(OperationsTests.status(part) == "206" && part.lowercased().contains("content-length: 4\r\n"))
      let known = try await Self.ask(world, yard.a, path, method: "HEAD", [("If-None-Match", tag)])
      #expect(OperationsTests.status(known) == "304" && known.contains(tag))
      #expect(OperationsTests.status(try await Self.ask(world, yard.c, path, method: "HEAD")) == "400")
      for other in ["/v1/users/me", "/v1/static/channelChats", "/v1\(channel)"] {
        #expect(OperationsTests.status(try await Self.ask(world, yard.a, other, method: "HEAD")) == "400")
      }
    }
  }

  @Test(
    "a range is answered only if If-Range names the file's ETag", arguments: TestEngine.available,
    EditionName.allCases)
  func ifRange(_ engine: TestEngine, _ edition: EditionName) async throws {
    try await World.run(engine) { (world) async throws in
      let yard = try await world.courtyard()
      let channel = try await yard.a.channel("ios", in: yard.w)
      let chat = try await yard.a.success(
        .POST, "\(channel)/chats", .multipart([.file("files", Sample.pdf, filename: "a.pdf")]))
      let path = "/v1" + (try #require(chat["files"]?[0]?.string))
      let reader = try await world.signIn(yard.a, through: edition)
      let tag = try #require(try await reader.call(.GET, path).headers["etag"].first)
      for (condition, status) in [
        (tag, "206"), ("\"other\"", "200"), ("W/\(tag)", "200"), ("Sat, 01 Jan 2022 00:00:00 GMT", "200"),
      ] {
        let answer = try await Self.ask(world, reader, path, [("Range", "bytes=0-3"), ("If-Range", condition)])
        #expect(OperationsTests.status(answer) == status, "\(condition)")
        #expect(answer.contains(tag))
      }
    }
  }
}
