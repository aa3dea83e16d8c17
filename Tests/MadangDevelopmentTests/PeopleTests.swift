import AsyncHTTPClient
import Foundation
import MadangAPI
import MadangDevelopment
import MadangServer
import NIOCore
import NIOHTTP1
import Testing

@Suite("Acting for people", .timeLimit(.minutes(5)))
struct PeopleTests {
  private static func run(_ body: (Caller, World) async throws -> Void) async throws {
    try await Scene.run { worlds in
      let world = try await worlds.make(try Scene.plan(.courtyard, number: 3))
      try await body(Caller(url: world.url), world)
    }
  }

  private static let joon = "/_dev/people/joon@example.com"

  @Test("people are listed with the data that tests need")
  func list() async throws {
    try await Self.run { dev, _ in
      let people = try await dev.call(.GET, "/_dev/people").list
      #expect(people.compactMap { $0["email"] as? String }.prefix(2) == ["mina@example.com", "joon@example.com"])
      #expect(people[0]["nickname"] as? String == "Mina" && people[0]["number"] as? Int == 1)
      #expect(people[0]["workspaces"] as? [String] == ["Weekend", "Book club"])
      #expect(try await dev.call(.GET, "/_dev/people?after=4").list.count == 1)
    }
  }

  @Test("a call for a person is answered like that of a signed-in client, without key or token")
  func forwarded() async throws {
    try await Self.run { dev, _ in
      let signedIn = try await dev.signedIn("joon@example.com")
      let own = try await signedIn.call(.GET, "workspaces")
      let answer = try await dev.call(.GET, "\(Self.joon)/v1/workspaces")
      #expect(answer.status == 200 && answer.body == own.body)
      #expect(answer.headers["Set-Cookie"].isEmpty && !own.headers["Set-Cookie"].isEmpty)
      let id = try #require(try own.list.first?["workspace_id"] as? String)
      let found = try await dev.call(.GET, "\(Self.joon)/v1/workspaces/\(id)/search?keyword=mina")
      #expect(try await signedIn.call(.GET, "workspaces/\(id)/search?keyword=mina").body == found.body)
      let refused = try await dev.call(.GET, "\(Self.joon)/v1/workspaces/\(UUID().uuidString)")
      #expect(refused.status == 400 && refused.body == #"{"errorCode":"E13"}"#)
      let unknown = try await dev.call(.GET, "\(Self.joon)/v1/nothing")
      #expect(unknown.body == #"{"errorCode":"E97"}"#)
    }
  }

  @Test("a device gets the push of a chat although the world's clock is frozen")
  func push() async throws {
    try await Self.run { dev, _ in
      let (mina, joon) = (try await dev.signedIn("mina@example.com"), try await dev.signedIn("joon@example.com"))
      #expect(try await joon.call(.POST, "users/deviceToken", #"{"deviceToken":"a-phone"}"#).status == 200)
      let workspaces = try await mina.call(.GET, "workspaces").list
      let workspace = try #require(workspaces.first { $0["name"] as? String == "Weekend" }?["workspace_id"] as? String)
      let channels = try await mina.call(.GET, "workspaces/\(workspace)/my-channels").list
      let channel = try #require(channels.first?["channel_id"] as? String)
      let chats = "workspaces/\(workspace)/channels/\(channel)/chats"
      #expect(try await joon.call(.GET, chats).status == 200)
      #expect(try await mina.call(.POST, chats, #"{"content":"Hi"}"#).status == 200)
      // What looks for waiting chats once in a while goes by this clock.
      let journal = try await dev.call(.GET, "/_dev/journal?kind=push&account=joon@example.com&wait=30s").object
      let entries = try #require(journal["entries"] as? [[String: Any]])
      #expect(entries.map { $0["deviceToken"] as? String } == ["a-phone"])
    }
  }

  @Test("a call chooses the other edition by the query or by its key")
  func editions() async throws {
    try await Self.run { dev, _ in
      let named = try await dev.call(.GET, "\(Self.joon)/v1/workspaces?edition=2024-01")
      #expect(try named.list.allSatisfy { $0["workspace_id"] is Int } && !named.list.isEmpty, "\(named.body)")
      let wrong = try await dev.call(.GET, "\(Self.joon)/v1/workspaces?edition=2023")
      #expect(wrong.status == 400 && wrong.body.contains("2024-01 or 2024-10"))
      var request = HTTPClientRequest(url: dev.url + "\(Self.joon)/v1/workspaces")
      request.headers.add(name: HeaderName.apiKey, value: DevelopmentKey.january2024)
      let byKey = try await HTTPClient.shared.execute(request, timeout: .seconds(30))
      #expect(try await String(buffer: byKey.body.collect(upTo: 1 << 20)) == named.body)
    }
  }

  @Test("a multipart body arrives whole, with its file")
  func multipart() async throws {
    try await Self.run { dev, world in
      let mina = try await dev.signedIn("mina@example.com")
      let workspace = try #require(
        try await mina.call(.GET, "workspaces").list.first { $0["name"] as? String == "Weekend" }?["workspace_id"]
          as? String)
      let channel = try #require(
        try await mina.call(.GET, "workspaces/\(workspace)/channels").list.first { $0["name"] as? String == "ios" }?[
          "channel_id"] as? String)
      let path = "/v1/workspaces/\(workspace)/channels/\(channel)/chats"
      var request = HTTPClientRequest(url: world.url + Self.joon + path)
      request.method = .POST
      request.headers.add(name: "Content-Type", value: "multipart/form-data; boundary=x")
      let file = String(repeating: "%PDF-1.4 ", count: 20_000)
      request.body = .bytes(
        ByteBuffer(
          string: "--x\r\nContent-Disposition: form-data; name=\"content\"\r\n\r\nread this\r\n--x\r\n"
            + "Content-Disposition: form-data; name=\"files\"; filename=\"a.pdf\"\r\n\r\n\(file)\r\n--x--\r\n"))
      let answer = try await HTTPClient.shared.execute(request, timeout: .seconds(30))
      #expect(answer.status == .ok)
      let chats = try await mina.call(.GET, "workspaces/\(workspace)/channels/\(channel)/chats").list
      let last = try #require(chats.last)
      #expect(last["content"] as? String == "read this")
      let stored = try #require((last["files"] as? [String])?.first)
      #expect(try await mina.call(.GET, "/v1\(stored)").body == file)
    }
  }

  @Test("acting for a person ends none of their sessions, and works after they signed out")
  func sessions() async throws {
    try await Self.run { dev, _ in
      let joon = try await dev.signedIn("joon@example.com")
      for _ in 0..<5 { #expect(try await dev.call(.GET, "\(Self.joon)/v1/users/me").status == 200) }
      #expect(try await joon.call(.GET, "users/me").status == 200)
      #expect(try await dev.call(.GET, "\(Self.joon)/v1/users/logout").status == 200)
      #expect(try await dev.call(.GET, "\(Self.joon)/v1/users/me").status == 200)
      #expect(try await joon.call(.GET, "users/me").status == 200)
    }
  }

  @Test("faults and limits of an account do not apply to calls that act for it")
  func undisturbed() async throws {
    try await Self.run { dev, _ in
      let fault = #"{"match":{"account":"joon@example.com"},"effect":{"kind":"status","status":503}}"#
      let added = try await dev.call(.POST, "/_dev/faults", fault)
      #expect(added.status == 200)
      for _ in 0..<400 { #expect(try await dev.call(.GET, "\(Self.joon)/v1/users/me").status == 200) }
    }
  }

  @Test("posting, joining and leaving accept names instead of ids")
  func names() async throws {
    try await Self.run { dev, _ in
      let joon = "/_dev/people/joon"
      let posted = try await dev.call(.POST, "\(joon)/post", #"{"in":"Weekend/ios","text":"hello","files":2}"#)
      #expect(try posted.object["content"] as? String == "hello")
      #expect(try (posted.object["files"] as? [String])?.count == 2)
      let older = try await dev.call(.POST, "\(joon)/post?edition=2024-01", #"{"in":"Weekend","text":"all"}"#)
      #expect(try older.object["channel_id"] is Int)
      let direct = try await dev.call(.POST, "\(joon)/post", #"{"to":"theo@example.com","text":"psst"}"#)
      #expect(try direct.object["room_id"] is String, "\(direct.body)")
      #expect(try await dev.call(.POST, "/_dev/people/sora/join", #"{"in":"Weekend/ios"}"#).body == "{}")
      #expect(try await dev.call(.POST, "/_dev/people/sora/leave", #"{"in":"Weekend/ios"}"#).body == "{}")
      #expect(try await dev.call(.POST, "/_dev/people/guest/join", #"{"in":"Weekend"}"#).body == "{}")
      #expect(try await dev.call(.GET, "/_dev/people/guest/v1/workspaces").list.count == 1)
      #expect(try await dev.call(.POST, "/_dev/people/guest/leave", #"{"in":"Weekend"}"#).body == "{}")
      #expect(try await dev.call(.GET, "/_dev/people/guest/v1/workspaces").body == "[]")
    }
  }

  @Test(
    "an impossible call is refused with its cause and its cure",
    arguments: [
      (
        "nobody@example.com/v1/users/me", "{}",
        "there is no person with the e-mail 'nobody@example.com'; there are mina@example.com, joon@example.com, "
          + "sora@example.com, theo@example.com, guest@example.com"
      ),
      ("joon/post", #"{"text":"x"}"#, "in: is missing; write a place such as Weekend/ios, or 'to' with a person"),
      ("joon/post", #"{"in":"Monday/ios","text":"x"}"#, "there is no workspace 'Monday'; there are Weekend, Book club"),
      ("joon/post", #"{"in":"Weekend/nowhere","text":"x"}"#, "there is no channel 'Weekend/nowhere'; Weekend has "),
      ("guest/post", #"{"in":"Weekend/ios","text":"x"}"#, "not in it (E13)"),
      ("joon/join", #"{"in":"Weekend/nowhere"}"#, "there is no channel 'Weekend/nowhere'"),
      ("joon/leave", #"{"in":"Weekend/nowhere"}"#, "there is no channel 'Weekend/nowhere'"),
      ("joon/post", #"{"in":"Weekend/ios","text":""}"#, "a chat needs text or a file (E11)"),
      ("joon/post", #"{"in":"Weekend/ios","files":1000}"#, "files: 0 to 100"),
      ("joon/post", #"{"to":"guest","text":"x"}"#, "share no workspace"),
      ("joon/post", #"{"to":"mina","in":"Weekend/ios","text":"x"}"#, "in: 'Weekend/ios' is a channel"),
      ("mina/leave", #"{"in":"Weekend"}"#, "(E15)"),
      ("mina/join", #"{"in":"/"}"#, "in: a workspace such as Weekend"),
    ])
  func mistakes(_ path: String, _ body: String, _ words: String) async throws {
    try await Self.run { dev, _ in
      let answer = try await dev.call(.POST, "/_dev/people/\(path)", body)
      #expect(answer.status == 400)
      #expect(try (answer.object["error"] as? String)?.contains(words) ?? false, "\(answer.body)")
    }
  }
}
