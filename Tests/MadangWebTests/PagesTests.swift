import Foundation
import MadangAPI
import MadangCore
import MadangOperations
import MadangServer
import NIOHTTP1
import SocketIOServer
import SocketIOSupport
import Support
import Testing

@Suite("Pages", .timeLimit(.minutes(5)))
struct PagesTests {
  private static let folder = URL(filePath: #filePath).deletingLastPathComponent()
    .appending(path: "../../Sources/MadangWeb/Pages").standardizedFileURL

  private static func text(_ name: String) throws -> String {
    try String(contentsOf: folder.appending(path: name), encoding: .utf8)
  }

  @Test("every file of Pages is served with its type and the headers of pages")
  func files() async throws {
    let names = try FileManager.default.contentsOfDirectory(atPath: Self.folder.path)
    try #require(names.count > 80)
    let isOfConsole = { @Sendable (name: String) in
      name.hasPrefix("console") || ["qr.js", "contract.md"].contains(name)
    }
    try await Browser.run(.sqlite, settings: World.settings(\.web.admin.isOn, true)) { (world) async throws in
      for file in names {
        let root = isOfConsole(file) ? "/_dev/" : file.hasPrefix("admin") ? "/admin/" : "/"
        let name = ["chat.html", "console.html", "admin.html"].contains(file) ? root : root + file
        let answer = try await world.call(.GET, name, key: nil)
        try #require(answer.status == 200, "\(name)")
        #expect(answer.body == Array(try Data(contentsOf: Self.folder.appending(path: file))), "\(name)")
        let type = try #require(answer.headers.first(name: "Content-Type"))
        let end = try #require(file.split(separator: ".").last)
        let wanted = [
          "html": "text/html", "css": "text/css", "js": "text/javascript", "svg": "image/svg+xml", "png": "image/png",
          "webmanifest": "application/manifest+json", "md": "text/markdown",
        ]
        #expect(type.hasPrefix(try #require(wanted[String(end)])), "\(name)")
        #expect(end == "png" || type.hasSuffix("; charset=utf-8"), "\(name)")
        let policy = try #require(answer.headers.first(name: "Content-Security-Policy"))
        #expect(policy.contains("default-src 'none'") && policy.contains("require-trusted-types-for 'script'"))
        #expect(!policy.contains("unsafe") && !policy.contains("*"))
        for (header, value) in [
          ("X-Content-Type-Options", "nosniff"), ("Referrer-Policy", "no-referrer"), ("Cache-Control", "no-cache"),
          ("Cross-Origin-Opener-Policy", "same-origin"), ("Cross-Origin-Resource-Policy", "same-origin"),
        ] {
          #expect(answer.headers[header] == [value], "\(name) \(header)")
        }
        #expect(answer.headers["Set-Cookie"].isEmpty, "caches may keep it")
      }
    }
  }

  @Test("a file is compressed for browsers that take it, known by its tag, and without a body for HEAD")
  func forms() async throws {
    try await Browser.run(.sqlite) { (world) async throws in
      // HTTPClient would decompress.
      let wire = try await Wire.connect(try #require(URL(string: world.url)?.port))
      let plain = try await wire.request("GET", "/", headers: [("Host", "a")])
      let small = try await wire.request("GET", "/", headers: [("Host", "a"), ("Accept-Encoding", "br, gzip")])
      #expect(small.headers["content-encoding"] == "gzip" && small.body.count < plain.body.count / 2)
      #expect(small.body == ContentCoding.gzip.compress(plain.body))
      #expect(plain.headers["content-encoding"] == nil && plain.headers["vary"] == "Accept-Encoding")
      let tags = [plain, small].compactMap { $0.headers["etag"] }
      #expect(Set(tags).count == 2)
      let known = try await wire.request("GET", "/", headers: [("Host", "a"), ("If-None-Match", tags[0])])
      #expect(known.status == 304 && known.body.isEmpty && known.headers["etag"] == tags[0])
      let head = try await world.call(.HEAD, "/chat.css", key: nil, headers: [("Accept-Encoding", "identity")])
      #expect(head.status == 200 && head.body.isEmpty && head.headers["ETag"].count == 1)
    }
  }

  @Test("other methods and paths are answered as without pages", arguments: [HTTPMethod.POST, .PUT, .DELETE, .OPTIONS])
  func others(_ method: HTTPMethod) async throws {
    try await Browser.run(.sqlite) { (world) async throws in
      #expect(try await world.call(method, "/", key: nil).code == "E01")
      #expect(try await world.call(.GET, "/no-such-file.js", key: nil).code == "E01")
      #expect(try await world.call(.GET, "/chat.js/more", key: nil).code == "E01")
      #expect(try await world.call(.GET, "/..%2FPackage.swift", key: nil).code == "E01")
    }
  }

  @Test("the console is at /_dev/, which its pages need to end in a slash, and is for programs of this machine only")
  func console() async throws {
    try await Browser.run(.sqlite) { (world) async throws in
      let wire = try await Wire.connect(try #require(URL(string: world.url)?.port))
      for path in ["/_dev", "//_dev"] {
        let moved = try await wire.request("GET", path, headers: [("Host", "localhost")])
        #expect(moved.status == 308 && moved.headers["location"] == "_dev/")
      }
      for headers in [
        [("Host", "madang.example.com")], [("Host", "localhost"), ("Origin", "http://evil.example")],
        [("Host", "localhost"), ("Sec-Fetch-Site", "cross-site")],
      ] {
        #expect(try await wire.request("GET", "/_dev/", headers: headers).status == 403, "\(headers)")
      }
      #expect(try await wire.request("GET", "/_dev/console.js", headers: [("Host", "localhost")]).status == 200)
      #expect(try await wire.request("GET", "/_dev/chat.js", headers: [("Host", "localhost")]).status == 404)
      #expect(try await wire.request("POST", "/_dev/", headers: [("Host", "localhost")]).status == 404)
    }
  }

  @Test("all that the console loads is at most 150,000 bytes, compressed")
  func consoleSize() throws {
    let names = try FileManager.default.contentsOfDirectory(atPath: Self.folder.path)
    let sizes = try names.filter { $0.hasPrefix("console") || $0 == "qr.js" }.map { name in
      let bytes = Array(try Data(contentsOf: Self.folder.appending(path: name)))
      return min(bytes.count, try #require(ContentCoding.gzip.compress(bytes)).count)
    }
    try #require(sizes.count > 30)
    #expect(sizes.reduce(0, +) <= 150_000)
  }

  @Test("all that the administrator's console loads in one language is at most 100,000 bytes, compressed")
  func adminSize() throws {
    let names = try FileManager.default.contentsOfDirectory(atPath: Self.folder.path)
    let shared = ["elements.js", "form.js", "dialogs.js", "steady.js", "words.js", "qr.js"]
    let sizes = try names.filter { $0.hasPrefix("admin") && $0 != "admin.text.en.js" || shared.contains($0) }.map {
      name in
      let bytes = Array(try Data(contentsOf: Self.folder.appending(path: name)))
      return min(bytes.count, try #require(ContentCoding.gzip.compress(bytes)).count)
    }
    try #require(sizes.count > 30)
    #expect(sizes.reduce(0, +) <= 100_000)
  }

  @Test(
    "the texts of both languages have the same keys and the same gaps",
    arguments: [("", 150), ("admin.", 500)])
  func texts(family: String, least: Int) throws {
    func gaps(_ name: String) throws -> [String: Set<String>] {
      var found: [String: Set<String>] = [:]
      for line in try Self.text(name).split(separator: "\n") {
        guard let match = line.firstMatch(of: #/^\s*"([A-Za-z0-9.-]+)": (.*),$/#) else { continue }
        found[String(match.1)] = Set(match.2.matches(of: #/\{[a-z]+\}/#).map { String($0.output) })
      }
      return found
    }
    let (english, korean) = (try gaps("\(family)text.en.js"), try gaps("\(family)text.ko.js"))
    try #require(english.count > least)
    #expect(english == korean)
  }

  @Test("what the first view of the chat loads is at most 60,000 bytes, compressed")
  func size() throws {
    let page = try Self.text("chat.html")
    let names = page.matches(of: #/(?:href|src)="/([a-z0-9.-]+)"/#).map { String($0.1) }
    // The icon of iPhones is read when the page is put on their screens.
    let files = Set(names).union(["chat.html", "text.ko.js"]).subtracting(["icon-180.png"])
    try #require(files.count > 20)
    let sizes = try files.map { name in
      let bytes =
        name == "look.css"
        ? Array(Look.css(Face()).utf8) : Array(try Data(contentsOf: Self.folder.appending(path: name)))
      return min(bytes.count, try #require(ContentCoding.gzip.compress(bytes)).count)
    }
    #expect(sizes.reduce(0, +) <= 60_000)
  }

  @Test("the chat has the look of the pages of links, with the name, the colour and the language of the installation")
  func look() async throws {
    var settings = World.settings
    try await Browser.run(.sqlite, settings: settings) { (world) async throws in
      let look = try await world.call(.GET, "/look.css", key: nil)
      #expect(look.body == Array(Look.css(Face()).utf8) && look.headers["Content-Type"] == ["text/css; charset=utf-8"])
    }
    (settings.web.colour, settings.web.name) = ("#2d6389", "Persimmon house")
    try await Browser.run(.sqlite, settings: settings) { (world) async throws in
      let look = String(decoding: try await world.call(.GET, "/look.css", key: nil).body, as: UTF8.self)
      #expect(look.hasSuffix("--on-persimmon:#1b1815;}}") && look.contains(":root{--persimmon:#2d6389;"))
      let session = try await world.call(.GET, "/web/session", key: nil).json
      #expect(session["server"]?["name"]?.string == "Persimmon house")
      let page = String(decoding: try await world.call(.GET, "/", key: nil).body, as: UTF8.self)
      #expect(page.contains(#"<html lang="en">"#))
    }
    settings.web.language = .korean
    try await Browser.run(.sqlite, settings: settings) { (world) async throws in
      let page = String(decoding: try await world.call(.GET, "/", key: nil).body, as: UTF8.self)
      #expect(page.contains(#"<html lang="ko" data-language="ko">"#))
    }
  }

  @Test("with web.chat off all answers are those of a server without pages", arguments: TestEngine.available)
  func off(_ engine: TestEngine) async throws {
    @Sendable func answers(_ world: World) async throws -> [String] {
      var answers: [String] = []
      for (method, path) in [
        (HTTPMethod.GET, "/"), (.HEAD, "/"), (.POST, "/"), (.GET, "/chat.js"), (.GET, "/web/session"),
        (.POST, "/web/session"), (.GET, "/web/v1/users/me"), (.GET, "/web/openapi.json"),
      ] {
        for key in [nil, "dev-key-2024-10"] {
          let answer = try await world.call(method, path, key: key)
          let headers = answer.headers.filter { $0.name != "Date" }.map { "\($0.name): \($0.value)" }
          answers.append("\(answer.status) \(headers) \(String(decoding: answer.body, as: UTF8.self))")
        }
      }
      return answers
    }
    let (clock, settings) = (World.stoppedClock, World.settings(\.web.chat, false))
    try await World.run(engine, settings: settings, clock: clock) { (without) async throws in
      let expected = try await answers(without)
      try await Browser.run(engine, settings: settings, clock: clock) { (off) async throws in
        #expect(try await answers(off) == expected)
      }
    }
  }

  @Test("the chat is on in development mode, and elsewhere once web.chat says so and the server speaks its edition")
  func on() {
    var settings = World.settings
    #expect(settings.hasWebChat && settings.pageSignUp == .open)
    settings.isDevelopment = false
    #expect(!settings.hasWebChat && settings.pageSignUp == .invitation)
    settings.web.chat = true
    #expect(settings.hasWebChat && settings.problems().isEmpty)
    settings.edition = .january2024
    #expect(!settings.hasWebChat && settings.problems().contains { $0.hasPrefix("web.chat:") })
  }
}
