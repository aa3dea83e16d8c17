import Foundation
import MadangCore
import MadangDevelopment
import MadangOperations
import NIOHTTP1
import Support
import Testing

@Suite("Settings of worlds", .timeLimit(.minutes(5)))
struct WorldSettingsTests {
  /// What a world's sockets say when they open.
  private func handshake(_ url: String) async throws -> String {
    try await Caller(url: url).call(.GET, "/socket.io/?EIO=4&transport=polling").body
  }

  @Test("a world has the settings that it was given, also after a reset and a restore")
  func given() async throws {
    try await WorldCallsTests.run { dev in
      let body =
        #"{"seed":"courtyard","settings":{"socket.ping.interval":"2s","socket":{"ping":{"timeout":3}},"coins.signup":7}}"#
      let made = try await dev.call(.POST, "/_dev/worlds", body)
      #expect(made.status == 200, "\(made.body)")
      #expect(
        try made.object["settings"] as? [String: String]
          == ["socket.ping.interval": "2s", "socket.ping.timeout": "3", "coins.signup": "7"])
      let world = Caller(url: try #require(try made.object["url"] as? String))
      _ = try await world.call(.POST, "/_dev/snapshots", #"{"name":"now"}"#)
      for path in [nil, "/_dev/reset", "/_dev/snapshots/now/restore"] {
        if let path { #expect(try await world.call(.POST, path).status == 200) }
        let words = try await handshake(world.url)
        #expect(words.contains(#""pingInterval":2000,"pingTimeout":3000"#), "\(path ?? "new"): \(words)")
      }
      let seed = #"{"people":[{"email":"a@example.com"}]}"#
      let seeded = try await dev.call(.POST, "/_dev/worlds", #"{"seed":\#(seed),"settings":{"coins.signup":7}}"#)
      let person = try await Caller(url: try #require(try seeded.object["url"] as? String)).signedIn("a@example.com")
      #expect(try await person.call(.GET, "users/me").object["sesacCoin"] as? Int == 7)
      // Another world of the same seed has not.
      let other = try await dev.call(.POST, "/_dev/worlds", #"{"seed":\#(seed)}"#)
      let second = try await Caller(url: try #require(try other.object["url"] as? String)).signedIn("a@example.com")
      #expect(try await second.call(.GET, "users/me").object["sesacCoin"] as? Int == 100)
    }
  }

  @Test("a world has the pings of the server that made it, unless it is given others")
  func pings() async throws {
    try await WorldCallsTests.run {
      ($0.sockets.pingInterval, $0.sockets.pingTimeout) = (7, 9)
    } _: { dev in
      let made = try await dev.call(.POST, "/_dev/worlds", "{}")
      let url = try #require(try made.object["url"] as? String)
      #expect(try await handshake(url).contains(#""pingInterval":7000,"pingTimeout":9000"#))
      let other = try await dev.call(.POST, "/_dev/worlds", #"{"settings":{"socket.ping.timeout":4}}"#)
      let second = try #require(try other.object["url"] as? String)
      #expect(try await handshake(second).contains(#""pingInterval":7000,"pingTimeout":4000"#))
    }
  }

  @Test(
    "a mistake in a world's settings is refused as at the start of a server, and no world is made",
    arguments: [
      (#"{"socket.ping.intervall":1}"#, "there is no such setting; did you mean socket.ping.interval?"),
      (
        #"{"socket.ping.interval":0}"#,
        "socket.ping.interval from settings: '0' is not valid; write a whole number from 1"
      ),
      (#"{"socket.ping.interval":1.5}"#, "'1.5' is not valid"), (#"{"port":8080}"#, "its port is 'port' beside"),
      (#"{"tls":{"cert":"x"}}"#, "worlds have no TLS"), (#"{"data":"/tmp/x"}"#, "has its own database"),
      (
        #"{"limits.connections":"9223372036854775807"}"#,
        "limits.connections from settings: '9223372036854775807' is not valid"
      ),
      (#"{"mail.smtp":"smtp://x"}"#, "worlds keep mails"), (#"{"log.level":"debug"}"#, "a world cannot have this"),
      (#"{"password.cost":1}"#, "use password.memory"), (#"{"registration":"domain"}"#, "registration.domains:"),
      (#"{"files.types":["pdf"]}"#, "settings.files.types: write one text with commas, not a list"),
      (#"{"files.chat":null}"#, "settings.files.chat: has no value"),
      (#"{"files.chat":1,"files":{"chat":1}}"#, "settings.files.chat: is there twice"), ("[]", "settings: an object"),
    ])
  func mistakes(_ settings: String, _ words: String) async throws {
    try await WorldCallsTests.run { dev in
      let answer = try await dev.call(.POST, "/_dev/worlds", #"{"settings":\#(settings)}"#)
      #expect(answer.status == 400 && answer.body.contains(words), "\(answer.body)")
      #expect(try await dev.call(.GET, "/_dev/worlds").body == "[]")
    }
  }

  @Test("a world takes each setting's default, or says why it cannot have the setting")
  func all() async throws {
    let declared = SettingsReader.read { ServerSettings() }.settings
    try await Scene.run { worlds in
      var refused = 0
      for setting in declared {
        var plan = try Scene.plan(.empty, number: 1)
        plan.settings = WorldSettings([setting.key: setting.value])
        do {
          let world = try await worlds.make(plan)
          _ = await worlds.remove(world.id)
        } catch let error as WorldError {
          refused += 1
          #expect(error.description.contains("\(setting.key) from settings: a world cannot have this setting: "))
        }
      }
      #expect(refused > 40 && declared.count - refused > 60, "\(refused) of \(declared.count)")
    }
  }
}
