import Foundation
import MadangAPI
import MadangCore
import NIOHTTP1
import Testing

@testable import MadangDevelopment

@Suite("Exported seeds", .timeLimit(.minutes(5)))
struct SeedExportTests {
  /// The view of all people of a world, without values that differ in each world: ids and file names are numbered in order of
  /// appearance.
  private static func view(_ url: String) async throws -> [String] {
    let dev = Caller(url: url)
    var answers: [String] = []
    for person in try await dev.call(.GET, "/_dev/people").list {
      let email = person["email"] as? String ?? ""
      let base = "/_dev/people/\(email)/v1"
      func ask(_ path: String) async throws -> [[String: Any]] {
        let answer = try await dev.call(.GET, "\(base)/\(path)")
        answers.append("\(email) \(path) \(answer.status) \(answer.body)")
        return try answer.body.hasPrefix("[") ? answer.list : []
      }
      _ = try await ask("users/me")
      for workspace in try await ask("workspaces") {
        let id = workspace["workspace_id"] as? String ?? ""
        _ = try await ask("workspaces/\(id)")
        _ = try await ask("workspaces/\(id)/my-channels")
        for channel in try await ask("workspaces/\(id)/channels") {
          _ = try await ask("workspaces/\(id)/channels/\(channel["channel_id"] as? String ?? "")")
        }
        for channel in try await ask("workspaces/\(id)/my-channels") {
          _ = try await ask("workspaces/\(id)/channels/\(channel["channel_id"] as? String ?? "")/chats")
        }
        for room in try await ask("workspaces/\(id)/dms") {
          _ = try await ask("workspaces/\(id)/dms/\(room["room_id"] as? String ?? "")/chats")
        }
      }
    }
    var numbers: [Substring: Int] = [:]
    return answers.map { answer in
      answer.replacing(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}|\/[0-9]+_[A-Za-z0-9_-]+\./) { match in
        let number = numbers[match.0] ?? numbers.count
        numbers[match.0] = number
        return "#\(number)"
      }
    }
  }

  private static func expectSame(_ answers: [String], _ expected: [String]) {
    #expect(expected.count > 3 && expected.allSatisfy { $0.contains(" 200 ") })
    for (answer, expected) in zip(answers, expected) where answer != expected {
      Issue.record("\(answer.prefix(3000))\ninstead of\n\(expected.prefix(3000))")
      return
    }
    #expect(answers.count == expected.count)
  }

  private static func world(_ text: String, in worlds: Worlds) async throws -> World {
    var plan = WorldPlan(seed: try Seed(text))
    plan.number = 11
    return try await worlds.make(plan)
  }

  @Test("a world of an exported seed shows all people the same", arguments: [Seed.Shipped.courtyard, .edge])
  func shipped(_ seed: Seed.Shipped) async throws {
    try await Scene.run { worlds in
      let first = try await worlds.make(try Scene.plan(seed, number: 5))
      let expected = try await Self.view(first.url)
      let dev = Caller(url: first.url)
      let yaml = try await dev.call(.GET, "/_dev/seed?name=copy")
      #expect(yaml.headers.first(name: "Content-Type") == "application/yaml; charset=utf-8")
      #expect(yaml.body.contains("name: copy\n") && yaml.body.hasPrefix("# ") && yaml.body.contains("Passw0rd!"))
      Self.expectSame(try await Self.view(Self.world(yaml.body, in: worlds).url), expected)
      let json = try await dev.call(.GET, "/_dev/seed?format=json")
      #expect(try json.object["now"] as? String == "2026-01-05T09:00:00.000Z")
      Self.expectSame(try await Self.view(Self.world(json.body, in: worlds).url), expected)
      // What was written once is written the same again.
      let second = try await Self.world(yaml.body, in: worlds)
      #expect(try await Caller(url: second.url).call(.GET, "/_dev/seed?name=copy").body == yaml.body)
    }
  }

  @Test(
    "an exported seed has the world's chats, files, joins, leaves and deleted places")
  func lived() async throws {
    try await Scene.run { worlds in
      let world = try await worlds.make(try Scene.plan(.courtyard, number: 5))
      let dev = Caller(url: world.url)
      func act(_ person: String, _ act: String, _ body: String) async throws {
        let answer = try await dev.call(.POST, "/_dev/people/\(person)/\(act)", body)
        #expect(answer.status == 200, "\(answer.body)")
      }
      world.clock.advance(milliseconds: 3_723_004)
      try await act(
        "joon", "post", #"{"in":"Weekend/ios","text":"- \"quoted\": {n} # no comment\n\u202e\u0007 ~","files":3}"#)
      try await act("guest", "join", #"{"in":"Weekend"}"#)
      try await act("guest", "post", #"{"to":"sora","text":"null","files":1}"#)
      try await act("theo", "leave", #"{"in":"Weekend"}"#)
      world.clock.advance(milliseconds: 60_000)
      let mina = "/_dev/people/mina/v1/workspaces"
      let workspace = try #require(
        try await dev.call(.GET, mina).list.first { $0["name"] as? String == "Weekend" }?["workspace_id"] as? String)
      let channels = try await dev.call(.GET, "\(mina)/\(workspace)/channels").list
      func id(_ name: String) throws -> String {
        try #require(channels.first { $0["name"] as? String == name }?["channel_id"] as? String)
      }
      let main = try await dev.call(
        .PUT, "\(mina)/\(workspace)/channels/\(try id("일반"))", #"{"description":"For all"}"#)
      #expect(main.status == 200, "\(main.body)")
      let joon = "/_dev/people/joon/v1/workspaces/\(workspace)/channels"
      #expect(try await dev.call(.DELETE, "\(joon)/\(try id("quiet"))").status == 200)
      let sora = try #require(
        try await dev.call(.GET, "/_dev/people").list.first { $0["nickname"] as? String == "소라" }?["id"] as? String)
      #expect(
        try await dev.call(
          .PUT, "\(mina)/\(workspace)/channels/\(try id("ios"))/transfer/ownership", #"{"owner_id":"\#(sora)"}"#
        ).status == 200)
      let expected = try await Self.view(world.url)
      let seed = try await dev.call(.GET, "/_dev/seed").body
      Self.expectSame(try await Self.view(Self.world(seed, in: worlds).url), expected)
    }
  }

  /// Text that writers and readers of YAML and JSON are apt to change: marks, breaks, blanks, quotation, what has a meaning in YAML.
  private static func text(_ random: inout SeededGenerator, upTo length: Int) -> String {
    let scalars: [Unicode.Scalar] = [
      " ", "\t", "\n", "\r", "\u{85}", "\u{2028}", "\u{FEFF}", "\u{200B}", "\u{200D}", "\u{7F}", "\u{1}", "'", "\"",
      "\\", "#",
      ":", "-", "?", "[", "{", "&", "*", "!", "|", ">", "%", "@", "`", "~", "0", "n", "é", "\u{301}", "\u{1100}",
      "\u{1161}",
      "가", "😀", "\u{1F3FD}", "\u{FFFE}", "\u{FFFD}", "\u{10FFFF}", "\u{344}", "\u{3000}", "\u{A0}", "\u{AD}",
      "\u{202E}",
    ]
    var text = String.UnicodeScalarView()
    for _ in 0..<Int.random(in: 1...length, using: &random) {
      text.append(scalars.randomElement(using: &random) ?? "a")
    }
    return String(text)
  }

  @Test("any text survives exporting and reading a seed", arguments: [1, 2, 3, 4])
  func anyText(seed: UInt64) async throws {
    var random = SeededGenerator(seed: seed)
    try await Scene.run { worlds in
      let world = try await Self.world("people: [{email: a@example.com}]", in: worlds)
      let dev = Caller(url: world.url)
      let mine = "/_dev/people/a@example.com/v1/workspaces"
      func body(_ fields: [String: String]) throws -> String {
        String(decoding: try JSONEncoder().encode(fields), as: UTF8.self)
      }
      let made = try await dev.call(.POST, mine, try body(["name": "W", "description": "\u{FEFF}\u{FEFF} x"]))
      #expect(made.status == 200, "\(made.body)")
      let workspace = try #require(try made.object["workspace_id"] as? String)
      let channels = "\(mine)/\(workspace)/channels"
      let channel = try #require(try await dev.call(.GET, channels).list.first?["channel_id"] as? String)
      // Some are refused: names that are blank or there already, chats that are blank.
      var taken = 0
      for _ in 0..<20 {
        let (name, description) = (Self.text(&random, upTo: 6), Self.text(&random, upTo: 8))
        if try await dev.call(.POST, channels, try body(["name": name, "description": description])).status == 200 {
          taken += 1
        }
        let chat = try body(["content": Self.text(&random, upTo: 10)])
        if try await dev.call(.POST, "\(channels)/\(channel)/chats", chat).status == 200 { taken += 1 }
      }
      #expect(taken > 20)
      let expected = try await Self.view(world.url)
      for format in ["yaml", "json"] {
        let written = try await dev.call(.GET, "/_dev/seed?format=\(format)").body
        Self.expectSame(try await Self.view(Self.world(written, in: worlds).url), expected)
      }
    }
  }

  @Test("JSON with surrogate pairs as escapes is read")
  func surrogates() throws {
    let seed = #"{"name":"\ud83d\ude00 \\ud83d \u00e9","people":[{"email":"a@example.com"}]}"#
    #expect(try Seed(seed).name == "😀 \\ud83d é")
  }

  @Test("files up to a size are exported unchanged; larger ones become grey pictures")
  func files() async throws {
    try await Scene.run { worlds in
      let small = "%PDF-1.4 " + String(repeating: "a", count: 3000)
      let large = "%PDF-1.4 " + String(repeating: "b", count: 70_000)
      let seed = """
        people: [{email: a@example.com, devices: [{token: phone}], coins: 7, phone: 010-1234-5678}]
        workspaces:
          - name: W
            owner: a
            chats:
              - {from: a, text: x, files: [{data: \(Data(small.utf8).base64EncodedString())}, {data: \(Data(large.utf8).base64EncodedString())}]}
        """
      let world = try await Self.world(seed, in: worlds)
      let text = try await Caller(url: world.url).call(.GET, "/_dev/seed").body
      #expect(text.contains(Data(small.utf8).base64EncodedString()))
      #expect(!text.contains(Data(large.utf8).base64EncodedString()) && text.contains(##"{color: "#999999"}"##))
      #expect(text.contains("devices: [{token: phone, edition: \"2024-10\"}]"), "\(text.prefix(800))")
      #expect(text.contains("coins: 7, ") && text.contains("phone: \"010-1234-5678\""))
      _ = try Seed(text)
    }
  }

  @Test("a server with very many chats is exported in pieces and can be read again")
  func crowded() async throws {
    try await Scene.run { worlds in
      let world = try await worlds.make(try Scene.plan(.crowded, number: 5))
      var (size, largest, text) = (0, 0, [UInt8]())
      try await world.exportSeed { piece in
        size += piece.count
        largest = max(largest, piece.count)
        text += piece
      }
      #expect(size > 5_000_000 && largest < 200_000, "\(size) \(largest)")
      #expect(String(decoding: text, as: UTF8.self).contains("members: everybody"))
    }
  }

  @Test("an unknown format is refused")
  func formats() async throws {
    try await Scene.run { worlds in
      let world = try await worlds.make(try Scene.plan(.empty))
      let dev = Caller(url: world.url)
      #expect(try await dev.call(.GET, "/_dev/seed?format=xml").body.contains("format: yaml or json"))
      _ = try Seed(try await dev.call(.GET, "/_dev/seed").body)
    }
  }
}
