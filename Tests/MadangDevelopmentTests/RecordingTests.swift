import AsyncHTTPClient
import Foundation
import MadangAPI
import MadangCore
import NIOCore
import NIOHTTP1
import Testing

@testable import MadangDevelopment

@Suite("Recorded sessions", .timeLimit(.minutes(5)))
struct RecordingTests {
  /// A session of a client with every kind of act. Mina is the client; Joon and Sora write from elsewhere.
  static func session(at url: String) async throws {
    let dev = Caller(url: url)
    let mina = try await dev.signedIn("mina@example.com")
    func act(_ method: HTTPMethod, _ path: String, _ body: String? = nil) async throws -> [String: Any] {
      let answer = try await mina.call(method, path, body)
      #expect(answer.status == 200, "\(method) \(path) \(answer.body)")
      return (try? answer.object) ?? [:]
    }
    let workspaces = try await mina.call(.GET, "workspaces").list
    let weekend = try #require(workspaces.first { $0["name"] as? String == "Weekend" }?["workspace_id"] as? String)
    let channels = try await mina.call(.GET, "workspaces/\(weekend)/channels").list
    func id(_ name: String) throws -> String {
      try #require(channels.first { $0["name"] as? String == name }?["channel_id"] as? String)
    }
    let (ios, quiet) = (try id("ios"), try id("quiet"))
    let people = try await mina.call(.GET, "workspaces/\(weekend)/members").list
    func person(_ name: String) throws -> String {
      try #require(people.first { ($0["email"] as? String)?.hasPrefix(name) ?? false }?["user_id"] as? String)
    }
    _ = try await act(.GET, "users/me")
    _ = try await act(.PUT, "users/me", #"{"nickname":"Mina K","phone":"010-1111-2222"}"#)
    _ = try await act(.GET, "workspaces/\(weekend)/channels/\(ios)/chats")
    _ = try await act(
      .POST, "workspaces/\(weekend)/channels/\(ios)/chats", #"{"content":"First: \"quoted\", {braces}"}"#)
    // She becomes a member by reading.
    _ = try await act(.GET, "workspaces/\(weekend)/channels/\(quiet)/chats")
    _ = try await act(.POST, "workspaces/\(weekend)/channels/\(quiet)/chats", #"{"content":"Anybody?"}"#)
    let other = try await dev.call(.POST, "/_dev/people/joon/post", #"{"in":"Weekend/quiet","text":"I am","files":1}"#)
    #expect(other.status == 200, "\(other.body)")
    let cursor = #"cursor_date=2026-01-05T09:00:00.000Z"#
    _ = try await act(.GET, "workspaces/\(weekend)/channels/\(quiet)/chats?\(cursor)")
    let file =
      "--b\r\nContent-Disposition: form-data; name=\"content\"\r\n\r\nA picture\r\n--b\r\n"
      + "Content-Disposition: form-data; name=\"files\"; filename=\"1.png\"\r\nContent-Type: image/png\r\n\r\n"
    var bytes = Array(file.utf8)
    bytes += PlainPicture(color: [1, 2, 3], width: 8, height: 8).png + Array("\r\n--b--\r\n".utf8)
    let posted = try await send(
      bytes, to: "\(url)/v1/workspaces/\(weekend)/channels/\(ios)/chats", token: mina.token ?? "")
    #expect(posted == 200)
    let room = try #require(
      try await act(.POST, "workspaces/\(weekend)/dms", #"{"opponent_id":"\#(try person("theo"))"}"#)["room_id"]
        as? String)
    _ = try await act(.POST, "workspaces/\(weekend)/dms/\(room)/chats", #"{"content":"Psst"}"#)
    let trip = try #require(
      try await act(.POST, "workspaces", #"{"name":"Trip {1}","description":"To the sea"}"#)["workspace_id"] as? String)
    _ = try await act(.POST, "workspaces/\(trip)/members", #"{"email":"sora@example.com"}"#)
    let boats = try #require(
      try await act(.POST, "workspaces/\(trip)/channels", #"{"name":"boats/100%"}"#)["channel_id"] as? String)
    _ = try await act(.PUT, "workspaces/\(trip)/channels/\(boats)", #"{"name":"ships","description":null}"#)
    _ = try await act(.POST, "workspaces/\(trip)/channels/\(boats)/chats", #"{"content":"Ahoy"}"#)
    _ = try await act(.PUT, "workspaces/\(trip)", #"{"name":"Voyage"}"#)
    _ = try await act(.PUT, "workspaces/\(trip)/transfer/ownership", #"{"owner_id":"\#(try person("sora"))"}"#)
    let gone = try #require(try await act(.POST, "workspaces", #"{"name":"Gone"}"#)["workspace_id"] as? String)
    _ = try await act(.DELETE, "workspaces/\(gone)")
    _ = try await act(.GET, "workspaces/\(weekend)/channels/\(try id("hiking"))/exit")
    let refused = try await mina.call(.DELETE, "workspaces/\(trip)")
    #expect(refused.status == 400)
    let joined = try await dev.call(
      .POST, "users/join", #"{"email":"new@example.com","password":"Secret00!","nickname":"New"}"#)
    #expect(joined.status == 200, "\(joined.body)")
  }

  private static func send(_ bytes: [UInt8], to url: String, token: String) async throws -> Int {
    var request = HTTPClientRequest(url: url)
    request.method = .POST
    request.headers.add(name: HeaderName.apiKey, value: DevelopmentKey.october2024)
    request.headers.add(name: HeaderName.authorization, value: token)
    request.headers.add(name: "Content-Type", value: "multipart/form-data; boundary=b")
    request.body = .bytes(ByteBuffer(bytes: bytes))
    return Int(try await HTTPClient.shared.execute(request, timeout: .seconds(120)).status.code)
  }

  static func played(_ text: String, in worlds: Worlds) async throws -> World {
    var plan = WorldPlan(seed: try Seed(text))
    plan.number = 7
    let world = try await worlds.make(plan)
    try world.kit.scripts.start("recorded")
    let report = try await world.kit.scripts.report(of: "recorded", within: .seconds(30))
    #expect(report.state == .ended && report.failed == 0, "\(report)")
    return world
  }

  /// The exported seed without what differs: dates, and the bytes of pictures that clients sent.
  private static func comparable(_ url: String) async throws -> [String] {
    let seed = try await Caller(url: url).call(.GET, "/_dev/seed?name=same").body
    return seed.split(separator: "\n").map { line in
      String(line).replacing(/(at|created|joined): ("[^"]*"|[^,}\n]+)/) { "\($0.1): -" }
        .replacing(/\{color: [^}]*\}|\{data: [^}]*\}/) { _ in "{file}" }
    }
  }

  @Test("a new world of the recording, in which its script was played, has the same data")
  func again() async throws {
    try await Scene.run { worlds in
      let first = try await worlds.make(try Scene.plan(.courtyard, number: 7))
      let dev = Caller(url: first.url)
      let seed = try await dev.call(.GET, "/_dev/seed?name=recorded").body
      try await Self.session(at: first.url)
      let answer = try await dev.call(.GET, "/_dev/recording?pauses=false")
      try #require(answer.status == 200, "\(answer.body)")
      let text = seed + answer.body
      #expect(!text.contains("Secret00!") && !text.contains("wait:"))
      #expect(text.contains("Left out: ") && text.contains("refused calls: 1"), "\(answer.body)")
      let second = try await Self.played(text, in: worlds)
      let (expected, found) = (try await Self.comparable(first.url), try await Self.comparable(second.url))
      for (line, other) in zip(expected, found) where line != other {
        Issue.record("\(other)\ninstead of\n\(line)\nby\n\(answer.body)")
        break
      }
      #expect(expected.count == found.count && expected.count > 30)
    }
  }

  @Test("an archive of the same session makes a world in which the script plays, with the same chats")
  func archive() async throws {
    try await Scene.run { worlds in
      let first = try await worlds.make(try Scene.plan(.courtyard, number: 7))
      let dev = Caller(url: first.url)
      try await Self.session(at: first.url)
      let har = try await dev.call(.GET, "/_dev/journal?format=har").body
      let (text, summary) = try RecordedArchive.seed(
        of: Array(har.utf8), name: "recorded", account: nil, pauses: false)
      #expect(summary.people.contains("mina@example.com"))
      let second = try await Self.played(text, in: worlds)
      func chats(_ url: String) async throws -> [String] {
        let seed = try await Caller(url: url).call(.GET, "/_dev/seed").body
        return seed.matches(of: /from: (\w+), at: [^,]+, text: ("[^"]*"|\w+)/).map { "\($0.1) \($0.2)" }
      }
      let found = try await chats(second.url)
      for text in [
        "mina \"First:", "mina \"Anybody?\"", "joon \"I am\"", "mina \"A picture\"", "mina Psst", "mina Ahoy",
      ] {
        #expect(found.count { $0.hasPrefix(text) } == 1, "\(text) in \(found)\n\(text)")
      }
    }
  }

  @Test("pauses are kept to 10 ms, from 50 ms")
  func pauses() async throws {
    func exchange(_ time: Double) throws -> RecordedExchange {
      let edition = try #require(DocumentedEdition.of(.october2024))
      let segments = ["v1", "users", "me"]
      let match = try #require(edition.operation("PUT", segments))
      return RecordedExchange(
        label: "entry", person: "mina@example.com", edition: .october2024, match: match, segments: segments,
        body: RecordedBody(#"{"nickname":"M","password":"x","deviceToken":"y","token":"z"}"#), status: 200, answer: nil,
        time: time)
    }
    var recorder = Recorder(.init())
    let recording = try recorder.record([exchange(0), exchange(30), exchange(60), exchange(1064.9)], [])
    let step = #"- {as: mina, call: "PUT users/me", body: {nickname: M, password: "Passw0rd!"}}"#
    let lines = recording.text.split(separator: "\n").dropFirst(4).map { $0.drop { $0 == " " } }
    #expect(
      lines == [step[...], step[...], "- {wait: 60ms}", step[...], "- {wait: 1s}", step[...]], "\(recording.text)")
  }

  @Test("what cannot be recorded is refused with cause and cure")
  func mistakes() async throws {
    try await Scene.run { worlds in
      let world = try await worlds.make(try Scene.plan(.courtyard, number: 7))
      let dev = Caller(url: world.url)
      func error(_ query: String) async throws -> String {
        let answer = try await dev.call(.GET, "/_dev/recording?\(query)")
        #expect(answer.status == 400, "\(query): \(answer.body)")
        return try answer.object["error"] as? String ?? ""
      }
      #expect(try await error("").hasPrefix("nothing was done that a script can repeat; use the client"))
      #expect(try await error("after=5").contains("the journal has numbers up to 0"))
      #expect(try await error("after=x").hasPrefix("after: the number of an entry"))
      #expect(try await error("pauses=no") == "pauses: true or false")
      #expect(try await error("name=a/b").hasPrefix("name: must have 1 to 100 characters"))
      #expect(try await error("account=zoe").contains("there is no person"))
      #expect(try await error("since=now").hasPrefix("since: a date"))
      #expect(try await error("format=har") == "format: yaml, or json for the script with a summary")
      let mina = try await dev.signedIn("mina@example.com")
      _ = try await mina.call(.GET, "users/me")
      #expect(try await error("").contains("(reads: 1, calls about sessions, devices, passwords and payments: 1)"))
      _ = try await mina.call(.PUT, "users/me", #"{"nickname":"M"}"#)
      #expect(try await error("account=joon").contains("calls of other people: 1"))
      world.kit.journal.limits.entries = 1
      #expect(try await error("").contains("has dropped entries up to 2, beyond its limits"))
      let last = try await dev.call(.GET, "/_dev/recording?after=2&format=json")
      #expect(last.status == 200 && last.body.contains(#""steps":1"#), "\(last.body)")
    }
  }
}
