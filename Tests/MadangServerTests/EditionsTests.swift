import Foundation
import MadangAPI
import MadangCore
import MadangOperations
import MadangServer
import NIOHTTP1
import SocketIOClient
import Support
import Testing

@Suite("Two editions of one server", .timeLimit(.minutes(5)))
struct EditionsTests {
  @Test("a key decides the edition, and a token works in its own edition only", arguments: TestEngine.available)
  func tokens(_ engine: TestEngine) async throws {
    try await World.run(engine) { (world) async throws in
      let january = try await world.signUp("Mina", through: .january2024)
      let october = try await world.signIn(january, through: .october2024)
      #expect(try await january.call(.GET, "users/my").status == 200)
      #expect(try await october.call(.GET, "users/me").status == 200)
      // Paths of the other edition are unknown; elsewhere its tokens are.
      #expect(try await january.call(.GET, "workspaces/1/my-channels").code == "E97")
      #expect(try await october.call(.POST, "/v2/users/login").code == "E97")
      for (person, key) in [
        (january, DevelopmentKey.october2024), (october, DevelopmentKey.january2024),
      ] {
        #expect(try await world.call(.GET, "workspaces", token: person.token, key: key).code == "E02")
        let refresh = [("RefreshToken", person.refreshToken)]
        #expect(try await world.call(.GET, "auth/refresh", key: key, headers: refresh).code == "E02")
        #expect(
          try await world.call(.GET, "static/workspaceCoverImages/default.png", token: person.refreshToken, key: key)
            .code == "E02")
      }
      // Refreshing while the token is valid: E04 in one, a new token in the other.
      for (person, code) in [(january, "E04"), (october, nil)] as [(TestPerson, String?)] {
        let answer = try await person.call(.GET, "auth/refresh", headers: [("RefreshToken", person.refreshToken)])
        #expect(answer.code == code)
      }
    }
  }

  @Test("a server of one edition refuses keys of the other", arguments: EditionName.allCases)
  func bound(_ edition: EditionName) async throws {
    try await World.run(.sqlite, settings: World.settings(\.edition, edition)) { (world) async throws in
      let mina = try await world.signUp("Mina", through: edition)
      #expect(try await mina.get("workspaces") == [])
      for other in EditionName.allCases where other != edition {
        for path in ["workspaces", "nothing/here"] {
          #expect(try await world.call(.GET, path, token: mina.token, key: other.developmentKey).code == "E01")
        }
      }
      // Nor a namespace of the other edition, which the form of its id reveals.
      let path = try await mina.workspace()
      let id = try #require(try await mina.get("\(path)/channels")[0]?["channel_id"]?.id)
      let foreign = edition == .january2024 ? "00000000-0000-4000-8000-000000000000" : "1"
      try await world.notesAddresses(of: 1)
      try await SocketsTests.withSocket(world) { (client) async throws in
        #expect(try await SocketsTests.admission(client, "/ws-channel-\(id)") == "joined")
        #expect(try await SocketsTests.admission(client, "/ws-channel-\(foreign)") == "not allowed")
      }
    }
  }

  @Test("a zone that is unknown or changes its clocks is refused at the start", arguments: ["Europe/Berlin", "Seoul"])
  func timeZones(_ zone: String) {
    var settings = World.settings
    settings.timeZones[.january2024] = zone
    #expect(settings.problems().count == 1)
    #expect(settings.problems().first?.contains(zone) == true)
  }

  @Test("the first start makes and keeps a key for each edition")
  func keys() async throws {
    var settings = World.settings
    settings.isDevelopment = false
    try await World.run(.sqlite, settings: settings) { (world) async throws in
      for edition in EditionName.allCases {
        let file = world.data.appending(path: "secrets/api-key-\(edition.rawValue)")
        let key = try String(contentsOf: file, encoding: .utf8).trimmingCharacters(in: .newlines)
        #expect(key.count == 64)
        #expect(try await world.call(.GET, "workspaces", key: key).code == "E02")
        #expect(try await world.call(.GET, "workspaces", key: edition.developmentKey).code == "E01")
      }
    }
  }

  /// What the editions write differently of a chat, alike: content, files, sender and moment.
  static func substance(_ chat: JSON?, _ edition: EditionName) -> [JSON?] {
    let label = try? Cursor.label(chat?["createdAt"]?.string, zoneless: 0)
    let moment = (label ?? 0) - (edition == .january2024 ? 9 * 3_600_000 : 0)
    return [
      chat?["content"], chat?["files"], chat?["channelName"], chat?["user"]?["nickname"], chat?["user"]?["email"],
      .number(Double(moment)),
    ]
  }

  /// A person in a room, through one edition.
  struct Place {
    let person: TestPerson
    let room: String
    /// Where the room's history is read.
    let history: String
    let namespace: String
  }

  @Test(
    "a chat posted through one edition reaches the sockets of both, each in its own form, with equal content",
    arguments: TestEngine.available)
  func delivery(_ engine: TestEngine) async throws {
    try await World.run(engine) { (world) async throws in
      let mina = try await world.signUp("Mina", through: .january2024)
      let joon = try await world.signUp("Joon", through: .october2024)
      let path = try await mina.workspace()
      try await mina.invite(joon, to: path)
      let same = "workspaces/\(try #require(try await joon.get("workspaces")[0]?["workspace_id"]?.string))"

      let channel = try await mina.channel("잡담", in: path)
      let number = try #require(try await mina.get(channel)["channel_id"]?.id)
      let uuid = try #require(try await joon.get("\(same)/channels")[0]?["channel_id"]?.string)
      let sameChannel = "\(same)/channels/\(uuid)"
      _ = try await joon.get("\(sameChannel)/chats")
      try await world.notesAddresses(of: 2)
      try await Self.talk(
        "channel", Place(person: mina, room: channel, history: channel, namespace: "/ws-channel-\(number)"),
        Place(person: joon, room: sameChannel, history: sameChannel, namespace: "/ws-channel-\(uuid)"))

      let joonInJanuary = try await world.signIn(joon, through: .january2024)
      let room = try await mina.directMessage(with: joonInJanuary, in: path)
      let sameRoom = try await joon.directMessage(with: try await world.signIn(mina, through: .october2024), in: same)
      try await Self.talk(
        "dm",
        Place(
          person: mina, room: room, history: "\(path)/dms/\(joonInJanuary.id)",
          namespace: "/ws-dm-\(room.split(separator: "/").last ?? "")"),
        Place(person: joon, room: sameRoom, history: sameRoom, namespace: SocketsTests.namespace(sameRoom)))
    }
  }

  /// Both post, and both listen, each through their own edition.
  private static func talk(_ event: String, _ january: Place, _ october: Place) async throws {
    try await SocketsTests.withSocket(january.person.world) { (client) async throws in
      var ears = [
        try await January2024RoomFlowsTests.Ear(client, january.namespace),
        try await January2024RoomFlowsTests.Ear(client, october.namespace),
      ]
      for speaker in [0, 1, 0] {
        let place = [january, october][speaker]
        let body = World.Body.multipart([.text("content", "\"각\" 😀"), .file("files", Sample.png)])
        let reply = try await place.person.call(.POST, "\(place.room)/chats", body)
        var heard: [[UInt8]] = []
        for index in ears.indices {
          let update = try await ears[index].next()
          #expect(update.event == event)
          heard.append(update.json)
        }
        // The edition through which it was posted sends the bytes of the reply.
        #expect(heard[speaker] == reply.body)
        #expect(try JSON(heard[0]).keys == JSON(heard[1]).keys)
        #expect(substance(try JSON(heard[0]), .january2024) == substance(try JSON(heard[1]), .october2024))
      }
    }
    let answer = try await january.person.get("\(january.history)/chats")
    let one = (answer["chats"]?.list ?? answer.list ?? []).map { substance($0, .january2024) }
    let two = try await october.person.get("\(october.history)/chats").list?.map { substance($0, .october2024) }
    #expect(one.count == 3 && one == two)
  }
}
