import Crypto
import Foundation
import MadangAPI
import NIOHTTP1
import Storage
import Support
import Testing

@testable import MadangCore
@testable import MadangOperations
@testable import MadangProviders
@testable import MadangServer

@Suite("Pages of links", .timeLimit(.minutes(5)))
struct LinkPagesTests {
  private static let korean = [("Accept-Language", "ko-KR,ko;q=0.9,en;q=0.8")]

  private static func settings(_ change: (inout ServerSettings) -> Void = { _ in }) -> ServerSettings {
    var settings = World.settings(\.publicURL, "https://chat.example.com")
    change(&settings)
    return settings
  }

  private static func get(_ world: World, _ path: String, _ headers: [(String, String)] = []) async throws -> String {
    String(decoding: try await world.call(.GET, path, key: nil, headers: headers).body, as: UTF8.self)
  }

  /// The mails of a new link, and its path.
  private static func link(
    _ world: World, _ email: String, _ headers: [(String, String)] = []
  ) async throws -> (path: String, mail: JSON) {
    let asked = try await world.call(
      .POST, "/password", key: nil, headers: headers, .form("email=\(email.replacing("@", with: "%40"))"))
    #expect(asked.status == 200)
    func mails() async throws -> [JSON] {
      try await world.call(.GET, "/_dev/mails?to=\(email)", key: nil).json.list ?? []
    }
    #expect(try await World.eventually { try await !mails().isEmpty })
    let mail = try #require(try await mails().last)
    let found = mail["body"]?.string?.firstMatch(of: /https:\/\/chat.example.com(\/password\/[0-9a-f]{32})\n/)
    return (String(try #require(found).1), mail)
  }

  @Test("all texts of pages are there in both languages, with the same values")
  func complete() {
    func texts(_ value: Any, _ path: String) -> [(path: String, text: String)] {
      if let text = value as? String { return [(path, text)] }
      return Mirror(reflecting: value).children.flatMap { texts($0.value, "\(path).\($0.label ?? "")") }
    }
    func names(_ text: String) -> Set<String> { Set(text.matches(of: /\{\w+\}/).map { String($0.0) }) }
    let (korean, english) = (texts(PageWords.korean, ""), texts(PageWords.english, ""))
    #expect(korean.map(\.path) == english.map(\.path) && korean.count > 40)
    for (one, other) in zip(korean, english) where names(other.text) != names(one.text) {
      Issue.record("\(one.path): \(names(one.text)) and \(names(other.text))")
    }
    func isKorean(_ text: String) -> Bool { text.unicodeScalars.contains { (0xac00...0xd7a3).contains($0.value) } }
    for (path, text) in korean where !isKorean(text) && text != "{email} · {name}" { Issue.record("\(path): \(text)") }
    for (path, text) in english where text.isEmpty || isKorean(text) { Issue.record("\(path): \(text)") }
    for device in DeviceKind.allCases { #expect(MailWords.korean.devices[device.rawValue] != nil, "\(device)") }
  }

  @Test("a page is in the reader's language, or in the language of the setting")
  func languages() async throws {
    try await World.run(.sqlite, settings: Self.settings()) { (world) async throws in
      #expect(try await Self.get(world, "/password").contains("<html lang=\"en\">"))
      let page = try await world.call(.GET, "/password", key: nil, headers: Self.korean)
      #expect(page.headers["Content-Language"] == ["ko"])
      #expect(String(decoding: page.body, as: UTF8.self).contains("비밀번호를 잊으셨나요?"))
      let gone = try await world.call(.GET, "/password/x", key: nil, headers: Self.korean)
      #expect(gone.status == 404 && String(decoding: gone.body, as: UTF8.self).contains("쓸 수 없는 링크예요"))
    }
    try await World.run(.sqlite, settings: Self.settings { $0.web.language = .english }) { (world) async throws in
      #expect(try await Self.get(world, "/password", Self.korean).contains("<html lang=\"en\">"))
    }
    try await World.run(.sqlite, settings: Self.settings { $0.web.language = .korean }) { (world) async throws in
      #expect(try await Self.get(world, "/password").contains("<html lang=\"ko\">"))
    }
  }

  @Test(
    "a mail with a link is in the language of the request for it, as text and as HTML", arguments: TestEngine.available)
  func mails(_ engine: TestEngine) async throws {
    let settings = Self.settings { ($0.web.name, $0.web.colour) = ("우리 <b>동아리", "#2d6389") }
    try await World.run(engine, settings: settings) { (world) async throws in
      let mina = try await world.signUp("Mina")
      let (path, mail) = try await Self.link(world, mina.email, Self.korean)
      let (text, html) = (mail["body"]?.string ?? "", mail["html"]?.string ?? "")
      #expect(mail["subject"]?.string == "우리 <b>동아리: 새 비밀번호 정하기")
      #expect(text.contains("우리 <b>동아리: https://chat.example.com\n") && text.contains("30분"))
      #expect(html.contains("<html lang=\"ko\">") && html.contains("href=\"https://chat.example.com\(path)\""))
      #expect(html.contains("우리 &lt;b&gt;동아리") && !html.contains("<b>") && html.contains("background: #2d6389"))
    }
  }

  @Test("a mail about a sign-up is in the language of the app that signs up", arguments: TestEngine.available)
  func signUp(_ engine: TestEngine) async throws {
    let settings = Self.settings { $0.registration.confirmation = .limited }
    try await World.run(engine, settings: settings) { (world) async throws in
      let fields: JSON = ["email": "mina@example.com", "password": .text(World.password), "nickname": "<script>"]
      #expect(try await world.call(.POST, "users/join", headers: Self.korean, .json(fields)).status == 200)
      func mails() async throws -> [JSON] { try await world.call(.GET, "/_dev/mails", key: nil).json.list ?? [] }
      #expect(try await World.eventually { try await mails().count == 1 })
      #expect(try await mails().first?["subject"]?.string == "Madang: 이메일 주소 확인하기")
    }
  }

  @Test("style and script of a page are allowed by their hashes alone", arguments: TestEngine.available)
  func policy(_ engine: TestEngine) async throws {
    try await World.run(engine, settings: Self.settings { $0.web.colour = "#ffd400" }) { (world) async throws in
      let mina = try await world.signUp("Mina")
      let (path, _) = try await Self.link(world, mina.email)
      let page = try await world.call(.GET, path, key: nil)
      let text = String(decoding: page.body, as: UTF8.self)
      let policy = try #require(page.headers["Content-Security-Policy"].first)
      for (tag, directive) in [("style", "style-src"), ("script", "script-src")] {
        let start = try #require(text.range(of: "<\(tag)>"))
        let end = try #require(text.range(of: "</\(tag)>"))
        let inner = Data(text[start.upperBound..<end.lowerBound].utf8)
        #expect(policy.contains("\(directive) 'sha256-\(Data(SHA256.hash(data: inner)).base64EncodedString())'"))
      }
      #expect(policy.contains("default-src 'none'") && policy.contains("require-trusted-types-for 'script'"))
      #expect(
        !policy.contains("unsafe") && !text.contains(" style=") && !text.contains("innerHTML")
          && !text.contains(" on" + "click"))
      #expect(text.contains("--persimmon:#7a6600") && text.contains("--persimmon:#ffd400"))
    }
  }

  @Test(
    "a new password that was typed in two ways is refused; programs that type it once may",
    arguments: TestEngine.available)
  func again(_ engine: TestEngine) async throws {
    try await World.run(engine, settings: Self.settings()) { (world) async throws in
      let mina = try await world.signUp("Mina")
      let (path, _) = try await Self.link(world, mina.email)
      let form = try await Self.get(world, path)
      #expect(form.contains("name=\"again\"") && form.contains("value=\"mina@example.com\" hidden"))
      #expect(
        form.components(separatedBy: "data-rule=").count == 7
          && form.contains("data-hide=\"Hide\" hidden>Show</button>"))
      let differs = try await world.call(.POST, path, key: nil, .form("password=0therPass%21&again=0therPass%3F"))
      let text = String(decoding: differs.body, as: UTF8.self)
      #expect(differs.status == 400 && text.contains("The two passwords differ.") && !text.contains("0therPass"))
      let same = try await world.call(
        .POST, path, key: nil, .form("username=x&password=0therPass%21&again=0therPass%21"))
      #expect(same.status == 200 && String(decoding: same.body, as: UTF8.self).contains("Your new password is saved"))
      let used = try await Self.get(world, path)
      #expect(used.contains("This link no longer works") && used.contains("href=\"/password\""))
    }
  }

  @Test("the ways on lead to the chat where it is on, and to the app where it is off")
  func ways() async throws {
    for isOn in [true, false] {
      let settings = Self.settings {
        $0.web.chat = isOn
        $0.registration.mode = .invite
      }
      try await World.run(.sqlite, settings: settings) { (world) async throws in
        let code = try await world.server.madang.inviteByCode(uses: 2, days: 1, by: .hana).code.text
        let answer = try await world.call(.POST, "/invite/\(code)", key: nil, .form("email=mina%40example.com"))
        let text = String(decoding: answer.body, as: UTF8.self)
        #expect(answer.status == 200 && text.contains("href=\"/#invitation=\(code)\"") == isOn)
        #expect(text.contains("Continue in the app.") == !isOn)
        #expect(try await Self.get(world, "/invite/x").contains("href=\"/\"") == isOn)
      }
    }
  }

  @Test("with the chat off, the root answers as to every client")
  func root() async throws {
    try await World.run(.sqlite, settings: Self.settings { $0.web.chat = false }) { (world) async throws in
      let answer = try await world.call(.GET, "/", key: nil, headers: [("Accept", "text/html")] + Self.korean)
      #expect(answer.status == 400 && answer.code == "E01")
    }
  }

  @Test("the installation's name is the pages' or the mails', whichever is set, and is text")
  func names() async throws {
    var settings = ServerSettings()
    #expect(settings.face.name == "Madang" && settings.senderName == "Madang")
    settings.mail.name = "Mails"
    #expect(settings.face.name == "Mails" && settings.senderName == "Mails")
    settings.web.name = "Web"
    #expect(settings.face.name == "Web" && settings.senderName == "Mails")
    settings.mail.name = ""
    #expect(settings.senderName == "Web")
    settings.web.name = " "
    #expect(settings.problems().contains { $0.hasPrefix("web.name:") })
    settings.web.name = String(repeating: "가", count: 31)
    #expect(settings.problems().contains { $0.hasPrefix("web.name:") })
    try await World.run(.sqlite, settings: Self.settings { $0.web.name = "<script>alert(1)</script>" }) {
      (world) async throws in
      let page = try await Self.get(world, "/password", Self.korean)
      #expect(page.contains("· &lt;script&gt;alert(1)&lt;/script&gt;</title>") && !page.contains("<script"))
      #expect(page.contains("<div class=\"mark\" aria-hidden=\"true\">&lt;</div>"))
    }
  }
}
