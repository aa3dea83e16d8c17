import Foundation
import MadangCore
import NIOHTTP1
import Testing

@testable import MadangDevelopment

@Suite("Recordings of HTTP archives", .timeLimit(.minutes(5)))
struct RecordedArchiveTests {
  private static func seed(_ har: String, account: String? = nil, pauses: Bool = true) throws -> String {
    try RecordedArchive.seed(of: Array(har.utf8), name: "recorded", account: account, pauses: pauses).text
  }

  private static func steps(_ text: String) -> [String] {
    text.split(separator: "\n").drop { !$0.hasSuffix("do:") }.dropFirst().map {
      $0.trimmingCharacters(in: .whitespaces)
    }
  }

  @Test("an archive of Chrome without tokens, edition 2024-10, becomes seed and script")
  func chrome() async throws {
    let text = try Self.seed(RecordedArchives.chrome)
    #expect(
      Self.steps(text) == [
        "- {as: nari, join: \"Weekend/ios\"}", "- {wait: 1s}",
        "- {as: nari, post: \"A view\", in: \"Weekend/ios\", files: 1}", "- {wait: 2s}",
        "- {as: bo, post: \"Over the socket\", in: \"Weekend/ios\"}", "- {wait: 1s}",
        "- {as: nari, call: \"POST workspaces/{Weekend}/dms\", body: {opponent_id: {person: bo}}}", "- {wait: 1s}",
        "- {as: nari, post: \"Only for you!\", to: bo, in: Weekend}",
      ], "\(text)")
    #expect(text.contains("refused calls: 1, requests that are no call of the API: 1"), "\(text)")
    #expect(text.contains("unknown-ffffffff@example.invalid") && !text.contains("Hidden00!"), "\(text)")
    try await Scene.run { worlds in
      let seed = try await Caller(
        url: try await RecordingTests.played(Self.seed(RecordedArchives.chrome, pauses: false), in: worlds).url
      )
      .call(.GET, "/_dev/seed").body
      for chat in ["bo, at: -3d", "text: \"Old two\"", "text: \"A view\", files:", "text: \"Only for you!\""] {
        #expect(seed.contains(chat) || chat.hasPrefix("bo"), "\(chat) in \(seed)")
      }
    }
  }

  @Test("an archive of Charles with tokens, dates of a zone and a byte order mark, edition 2024-01")
  func charles() async throws {
    let text = try Self.seed(RecordedArchives.charles)
    #expect(
      Self.steps(text)
        == [
          "- {as: nari, join: \"Builders/잡담\"}", "- {wait: 1s}",
          "- {as: nari, post: \"Here I am\", in: \"Builders/잡담\", files: 1}", "- {wait: 990ms}",
          "- {as: bo, post: Welcome, in: \"Builders/잡담\"}", "- {wait: 3.01s}",
          "- {as: nari, call: \"PUT workspaces/{Builders}/change/admin/{@bo@example.com}\", edition: \"2024-01\"}",
          "- {wait: 1s}",
          "- {as: nari, leave: \"Builders/잡담\"}",
        ].map { $0.replacing("3.01s", with: "3010ms") }, "\(text)")
    #expect(text.contains("coins: 40") && text.contains("text: Older"), "\(text)")
    try await Scene.run { worlds in
      _ = try await RecordingTests.played(Self.seed(RecordedArchives.charles, pauses: false), in: worlds)
    }
  }

  @Test("calls of one person, and an archive that does not show who called")
  func callers() throws {
    let anonymous = RecordedArchives.charles.replacing(#""value":"aaa.bbb""#, with: #""value":"zzz""#)
      .replacing(#"users\/my""#, with: #"store\/item\/list""#)
    #expect(throws: WorldError.self) { try Self.seed(anonymous) }
    do { _ = try Self.seed(anonymous) } catch let error as WorldError {
      #expect(
        error.description.contains("entry 5: it does not show who made this call")
          && error.description.contains("--account"))
    }
    #expect(try Self.steps(Self.seed(anonymous, account: "nari")).count == 9)
  }

  @Test(
    "what is no archive is refused with its cause",
    arguments: [
      ("", "is no HTTP archive (HAR 1.2): it is not JSON in UTF-8, or was cut off"),
      ("{}", "is no HTTP archive (HAR 1.2): log is missing"),
      (#"{"log":{"entries":[]}}"#, "no entry is a call of the API; paths begin with /v1/"),
      (#"{"log":{"entries":[{"request":{}}]}}"#, "entry 1: startedDateTime is missing"),
      (
        #"{"log":{"entries":[{"startedDateTime":"today","request":{"method":"GET","url":"/v1/users/me"}}]}}"#,
        "entry 1: startedDateTime is no date like 2026-01-05T09:00:00.000Z"
      ),
      (
        #"{"log":{"entries":[{"startedDateTime":"2026-01-05T09:00:00Z","request":{"method":"GET","url":"/v1/users/me"}}]}}"#,
        "nothing was done that a script can repeat (reads: 1)"
      ),
    ])
  func mistakes(_ har: String, _ words: String) {
    let error = #expect(throws: WorldError.self) { try Self.seed(har) }
    #expect(error?.description == words)
  }

  @Test("an archive that is too large is refused")
  func size() {
    let bytes = [UInt8](repeating: 0x20, count: RecordedArchive.maxSize + 1)
    let error = #expect(throws: WorldError.self) {
      try RecordedArchive.seed(of: bytes, name: "recorded", account: nil, pauses: true)
    }
    #expect(error?.description == "an archive has at most 67108864 bytes; export fewer requests")
  }

  @Test(
    "mutated archives give a seed that can be read, or an error",
    arguments: [RecordedArchives.chrome, RecordedArchives.charles])
  func mutated(_ har: String) {
    var generator = SeededGenerator(seed: 5)
    let parts = ["", "{", "}", "[", "]", "\"", "null", "0", "-1", "1e300", "\\u0000", "\u{301}", "{Weekend}", "/", "%"]
    for _ in 0..<300 {
      var bytes = Array(har.utf8)
      for _ in 0...Int.random(in: 0...3, using: &generator) {
        let start = Int.random(in: 0..<bytes.count, using: &generator)
        let end = min(bytes.count, start + Int.random(in: 0...12, using: &generator))
        bytes.replaceSubrange(start..<end, with: (parts.randomElement(using: &generator) ?? "").utf8)
      }
      let seed = try? RecordedArchive.seed(of: bytes, name: "recorded", account: "nari@example.com", pauses: true)
      if let seed { #expect(throws: Never.self) { try Seed(seed.text) } }
    }
  }

  @Test("values of other forms than HAR's are ignored or named")
  func odd() {
    let odd = ["null", "1", "\"\"", "[]", "{}", "[null]", "-1e308", "\"\\ud800\"", "true"]
    let fields = [
      #""headers":[]"#, #""url":"#, #""status":200"#, #""postData":"#, #""text":"#, #""data":"#, #""time":12.5"#,
      #""content":"#,
    ]
    for field in fields {
      for value in odd {
        let name = field.split(separator: ":")[0]
        let har = RecordedArchives.chrome.replacing(
          field, with: "\(name):\(value)\(field.hasSuffix(":") ? ",\"x\":" : "")")
        _ = try? Self.seed(har, account: "nari@example.com")
      }
    }
  }
}
