import Foundation
import MadangAPI
import MadangCore
import MadangServer
import NIOHTTP1
import Support
import Synchronization
import Testing

@testable import MadangOperations
@testable import MadangProviders
@testable import MadangServer

@Suite("Attacks that must fail", .timeLimit(.minutes(5)))
struct DoorsTests {
  @Test("a payment belongs to the account that showed it first, paid or not", arguments: TestEngine.available)
  func payments(_ engine: TestEngine) async throws {
    try await World.run(engine) { (world) async throws in
      let (mina, joon) = (try await world.signUp("Mina"), try await world.signUp("Joon"))
      func validate(_ person: TestPerson, _ id: String, _ merchant: String) async throws -> String? {
        let body: JSON = ["imp_uid": .text(id), "merchant_uid": .text(merchant)]
        return try await person.code(.POST, "store/pay/validation", .json(body))
      }
      let id = try await world.payment("order-1", 100, status: "ready")
      // Who knows only one of its ids has shown nothing.
      #expect(try await validate(joon, id, "order-2") == "E82")
      #expect(try await validate(mina, id, "order-1") == "E82")
      #expect(try await validate(joon, id, "order-1") == "E81")
      _ = try await world.payment("order-1", 100, status: "paid", impUID: id)
      #expect(try await validate(joon, id, "order-1") == "E81")
      #expect(try await validate(mina, id, "order-1") == nil)
      #expect(try await mina.get("users/me")["sesacCoin"] == 110)
    }
  }

  @Test("secrets do not follow a provider's redirect")
  func redirects() async throws {
    let followed = Atomic(0)
    try await FakeProvider.run { _ in
      followed.add(1, ordering: .relaxed)
      return (200, "{}")
    } _: { elsewhere in
      try await FakeProvider.run { _ in
        (302, "{}")
      } redirectingTo: {
        elsewhere.url + $0.path
      } _: { provider in
        let calls = ProviderCalls(timeout: .seconds(20))
        let answer = try await calls.get(provider.url + "/v2/user/me", headers: ["Authorization": "Bearer secret"])
        #expect(answer.status == 302)
      }
    }
    #expect(followed.load(ordering: .relaxed) == 0)
  }

  @Test(
    "secrets that every user of the machine can read stop the start, with the cure",
    arguments: ["", "/api-key-2024-10"])
  func secrets(_ name: String) throws {
    let directory = FileManager.default.temporaryDirectory.appending(path: "madang-secrets-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: directory) }
    let key = try Secrets(directory: directory, ids: IDSource()).makeAPIKey(.october2024)
    #expect(try Secrets(directory: directory, ids: IDSource()).makeAPIKey(.october2024) == key)
    #expect(try Secrets(directory: directory, ids: IDSource()).apiKey(.october2024) == key)
    try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: directory.path + name)
    let error = try #require(throws: SetupError.self) {
      try Secrets(directory: directory, ids: IDSource()).apiKey(.october2024)
    }
    #expect(error.description.contains("chmod \(name.isEmpty ? "-R " : "")o= '\(directory.path + name)'") == true)
  }

  @Test(
    "for a secret behind a symbolic link, the target's permissions count", arguments: ["", "/api-key-2024-10"])
  func linkedSecrets(_ name: String) throws {
    let files = FileManager.default
    let directory = files.temporaryDirectory.appending(path: "madang-secrets-\(UUID().uuidString)")
    let other = URL(filePath: directory.path + "-linked")
    defer { for place in [directory, other] { try? files.removeItem(at: place) } }
    let key = try Secrets(directory: directory, ids: IDSource()).makeAPIKey(.october2024)
    try files.moveItem(atPath: directory.path + name, toPath: other.path)
    try files.createSymbolicLink(atPath: directory.path + name, withDestinationPath: other.path)
    #expect(try Secrets(directory: directory, ids: IDSource()).apiKey(.october2024) == key)
    try files.setAttributes([.posixPermissions: 0o755], ofItemAtPath: other.path)
    let error = try #require(throws: SetupError.self) {
      try Secrets(directory: directory, ids: IDSource()).apiKey(.october2024)
    }
    // `chmod -R` does not follow links that it meets.
    #expect(error.description.contains("chmod \(name.isEmpty ? "-R " : "")o= '\(directory.path + name)'"))
    try files.removeItem(at: other)
    let dangling = try #require(throws: SetupError.self) {
      try Secrets(directory: directory, ids: IDSource()).makeAPIKey(.october2024)
    }
    #expect(dangling.description.contains("is a link to \(other.path), which does not exist"))
  }

  @Test("impossible times from a payment provider do not stop the server")
  func endlessTimes() throws {
    for number in [Int64.max, .min, 9_223_372_036_854_775_806, -1] {
      let text = """
        {"code":0,"message":null,"response":{"imp_uid":"i","merchant_uid":"m","amount":1,"cancel_amount":0,"status":"paid",\
        "paid_at":\(number)}}
        """
      let answer = ProviderCalls.Answer(status: 200, body: Array(text.utf8))
      let payment = try answer.decode(PortOnePayments.Envelope<PortOnePayments.Record>.self).response?.payment(shops: []
      )
      #expect((payment?.paidAt ?? -1) >= 0)
      let token =
        #"{"code":0,"message":null,"response":{"access_token":"t","now":\#(number),"expired_at":\#(~number)}}"#
      let other = ProviderCalls.Answer(status: 200, body: Array(token.utf8))
      #expect(try other.decode(PortOnePayments.Envelope<PortOnePayments.Token>.self).response?.lifetime != nil)
    }
  }

  @Test("a former token key that is too short stops the start")
  func shortKey() throws {
    let directory = FileManager.default.temporaryDirectory.appending(path: "madang-secrets-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: directory) }
    let secrets = try Secrets(directory: directory, ids: IDSource())
    let file = directory.appending(path: "access-token.key")
    #expect(
      FileManager.default.createFile(
        atPath: file.path, contents: Data(repeating: 0x61, count: 31), attributes: [.posixPermissions: 0o600]))
    let error = try #require(throws: SetupError.self) { try secrets.formerTokenKey() }
    #expect(error.description.contains("32 characters"))
    try FileManager.default.removeItem(at: file)
    #expect(try secrets.formerTokenKey() == nil)
  }

  @Test(
    "a dangling link to a former token key stops the start instead of making another key",
    arguments: ["missing", "access-token.key"])
  func danglingKey(_ target: String) throws {
    let directory = FileManager.default.temporaryDirectory.appending(path: "madang-secrets-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: directory) }
    let secrets = try Secrets(directory: directory, ids: IDSource())
    try FileManager.default.createSymbolicLink(atPath: secrets.tokenKeyFile.path, withDestinationPath: target)
    let error = try #require(throws: SetupError.self) { try secrets.formerTokenKeyToKeep() }
    #expect(
      error.description.contains(
        "is a link to \(target), which \(target == "missing" ? "does not exist" : "cannot be reached")"))
    // Where the database has a key, it is not asked for.
    #expect(try secrets.formerTokenKey() == nil)
  }

  @Test("sign-in with Kakao needs an app number, unless a setting allows any app")
  func kakao() {
    var settings = ServerSettings()
    #expect(settings.problems().isEmpty)
    settings.providers.kakao.url = "https://kapi.kakao.com"
    #expect(settings.problems().contains { $0.hasPrefix("kakao.app: ") })
    settings.providers.kakao.takesAnyApp = true
    #expect(settings.problems().isEmpty)
    settings.providers.kakao.takesAnyApp = false
    settings.providers.kakao.app = 17
    #expect(settings.problems().isEmpty)
  }

  @Test("a page of a history ends at a number of chats or of characters", arguments: TestEngine.available)
  func historyPages(_ engine: TestEngine) async throws {
    var settings = World.settings
    settings.domain.historyPage.chats = 4
    settings.domain.historyPage.characters = 100
    try await World.run(engine, settings: settings) { (world) async throws in
      let mina = try await world.signUp("Mina")
      let channel = try await mina.channel("ios", in: try await mina.workspace())
      for size in [10, 10, 10, 10, 10, 90, 99, 1, 150, 1, 1] {
        _ = try await mina.say(String(repeating: "각", count: size), in: channel)
      }
      let principal = Principal(
        session: try await world.server.madang.session(refreshToken: mina.refreshToken, edition: "2024-10").id,
        edition: "2024-10")
      let parts = channel.split(separator: "/").map(String.init)
      let address = RoomAddress(.channel, .uuid(parts[3]), in: .uuid(parts[1]))
      var history = try await world.server.madang.history(of: address, after: nil, as: principal)
      var sizes: [[Int]] = []
      while let page = try await history.next() { sizes.append(page.map(\.content.count)) }
      #expect(sizes == [[10, 10, 10, 10], [10, 90], [99, 1], [150], [1, 1]])
      #expect(try await mina.get("\(channel)/chats").list?.count == 11)
    }
  }

  @Test("names of stored files cannot be guessed")
  func fileNames() async throws {
    try await World.run(.sqlite) { (world) async throws in
      let mina = try await world.signUp("Mina")
      let me = try await mina.success(.PUT, "users/me/image", .multipart([.file("image", Sample.png)]))
      let path = try #require(me["profileImage"]?.string)
      #expect(path.firstMatch(of: /_[a-z0-9]{25}\.png$/) != nil)
    }
  }
}
