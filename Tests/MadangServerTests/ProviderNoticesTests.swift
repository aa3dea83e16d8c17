import Foundation
import JWTKit
import MadangAPI
import MadangProviders
import NIOHTTP1
import Storage
import Support
import Synchronization
import Testing

@testable import MadangCore
@testable import MadangOperations
@testable import MadangServer

@Suite("Notices from Apple and Kakao", .timeLimit(.minutes(5)))
struct ProviderNoticesTests {
  private struct Notice: JWTPayload {
    var iss = "https://appleid.apple.com"
    var aud = "com.example.chat"
    var exp: Double
    var iat: Double
    var jti = "1"
    var events: JSON

    func verify(using key: some JWTAlgorithm) {}
  }

  private struct Identity: JWTPayload {
    var iss = "https://appleid.apple.com"
    var aud = "com.example.chat"
    var sub: String
    var exp: Double
    var iat: Double
    var email: String
    var emailVerified = true

    enum CodingKeys: String, CodingKey {
      case iss, aud, sub, exp, iat, email
      case emailVerified = "email_verified"
    }

    func verify(using key: some JWTAlgorithm) {}
  }

  /// Apple's and Kakao's servers, and what Apple signs.
  private struct Scene: Sendable {
    let world: World
    let keys: JWTKeyCollection
    /// Bodies of Kakao's calls for unlinking, and the answers.
    let unlinked: Mutexed<[String]>
    /// What Apple answers instead of its keys, and how often it was asked for them.
    let apple: Mutexed<(answer: FakeProvider.Answer?, asked: Int)>
    /// What happens while Kakao is asked whose a token is, once.
    let duringKakao: Mutexed<(@Sendable () async throws -> Void)?>

    var now: Double { Double(world.clock.now) / 1000 }

    func identity(_ subject: String, issued: Double? = nil) async throws -> String {
      try await keys.sign(
        Identity(sub: subject, exp: now + 300, iat: issued ?? now, email: "\(subject)@example.com"), kid: "k1")
    }

    func signIn(_ subject: String, token: String) async throws -> World.Answer {
      try await SocialSignInTests.signIn(world, "apple", ["idToken": .text(token), "nickname": .text(subject)])
    }

    /// A person who has signed in with Apple.
    func person(_ subject: String) async throws -> String {
      let answer = try await signIn(subject, token: try await identity(subject)).json
      return try #require((answer["token"]?["accessToken"] ?? answer["accessToken"])?.string)
    }

    func kakaoPerson(_ number: String) async throws -> String {
      let answer = try await SocialSignInTests.signIn(world, "kakao", ["oauthToken": .text(number)]).json
      return try #require((answer["token"]?["accessToken"] ?? answer["accessToken"])?.string)
    }

    func event(_ type: String, _ subject: String, at time: Double? = nil) -> JSON {
      .text(#"{"type":"\#(type)","sub":"\#(subject)","event_time":\#(Int64(((time ?? now) * 1000).rounded()))}"#)
    }

    func notice(_ events: JSON) -> Notice { Notice(exp: now + 86_400, iat: now, events: events) }

    func tell(_ notice: Notice) async throws -> Int { try await tell(payload: try await keys.sign(notice, kid: "k1")) }

    func tell(payload: String) async throws -> Int {
      try await world.call(.POST, "/_hooks/apple", key: nil, .json(["payload": .text(payload)])).status
    }

    func tellKakao(
      _ number: String, _ kind: String, app: String = "7", key: String = "KakaoAK admin", method: HTTPMethod = .POST
    ) async throws -> Int {
      let form = "app_id=\(app)&user_id=\(number)&referrer_type=\(kind)"
      let headers = [("Authorization", key)]
      let path = "/_hooks/kakao" + (method == .GET ? "?\(form)" : "")
      return try await world.call(
        method, path, key: nil, headers: headers,
        method == .GET ? .none : .form(form)
      ).status
    }

    func me(_ token: String) async throws -> String {
      let answer = try await world.call(.GET, "users/me", token: token)
      return answer.code ?? "\(answer.status)"
    }

    func audited() async throws -> [[String: String]] {
      try await AuditTests.entries(world, .providerNotice).map { entry in
        entry.detail.merging(["actor": entry.actor, "subject": entry.subject]) { $1 }
      }
    }
  }

  private final class Mutexed<Value: Sendable>: Sendable {
    private let state: Mutex<Value>
    init(_ value: Value) { state = Mutex(value) }
    var value: Value {
      get { state.withLock(\.self) }
      set { state.withLock { $0 = newValue } }
    }
    func change(_ body: (inout sending Value) -> Void) { state.withLock { body(&$0) } }
  }

  private static func run(
    _ engine: TestEngine, deletes: Bool = false, requests: Int = 0,
    unlinkAnswer: FakeProvider.Answer = (200, #"{"id":1}"#),
    _ body: @escaping @Sendable (Scene) async throws -> Void
  ) async throws {
    let key = ES256PrivateKey()
    let (x, y) = try #require(key.parameters.map { ($0.x, $0.y) })
    let keys = JWTKeyCollection()
    await keys.add(ecdsa: key, kid: "k1")
    let base64url = { @Sendable (text: String) in
      text.replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
    }
    let unlinked = Mutexed<[String]>([])
    let apple = Mutexed<(answer: FakeProvider.Answer?, asked: Int)>((nil, 0))
    let duringKakao = Mutexed<(@Sendable () async throws -> Void)?>(nil)
    try await FakeProvider.run { call in
      let token = call.authorization?.split(separator: " ").last ?? ""
      switch call.path {
      case "/auth/keys":
        apple.change { $0.asked += 1 }
        if let answer = apple.value.answer { return answer }
        return (
          200,
          #"{"keys":[{"kty":"EC","crv":"P-256","kid":"k1","alg":"ES256","x":"\#(base64url(x))","y":"\#(base64url(y))"}]}"#
        )
      case "/v1/user/access_token_info": return (200, #"{"id":\#(token),"app_id":7}"#)
      case "/v2/user/me":
        let happens = duringKakao.value
        duringKakao.value = nil
        try await happens?()
        return (
          200,
          #"{"id":\#(token),"kakao_account":{"email":"k\#(token)@example.com","is_email_valid":true,"is_email_verified":true}}"#
        )
      case "/v1/user/unlink":
        unlinked.change { $0.append("\(call.authorization ?? "") \(call.body)") }
        return unlinkAnswer
      default: return (404, "")
      }
    } _: { provider in
      var settings = World.settings
      settings.providers.apple.keysURL = provider.url + "/auth/keys"
      settings.providers.apple.audiences = ["com.example.chat"]
      settings.providers.apple.takesNotices = true
      settings.providers.kakao.url = provider.url
      settings.providers.kakao.app = 7
      settings.providers.kakao.adminKey = "admin"
      settings.providers.timeout = .seconds(60)
      settings.accounts.deletedWithProvider = deletes
      settings.callLimits.requests = requests
      try await World.run(engine, settings: settings) { (world) async throws in
        try await body(Scene(world: world, keys: keys, unlinked: unlinked, apple: apple, duringKakao: duringKakao))
      }
    }
  }

  @Test(
    "revoking the app's access ends all sessions; only a newer token signs in, to the same account",
    arguments: TestEngine.available)
  func revoked(_ engine: TestEngine) async throws {
    try await Self.run(engine) { scene in
      let old = try await scene.identity("mina")
      let (mina, joon) = (try await scene.person("mina"), try await scene.person("joon"))
      let id = try await scene.world.call(.GET, "users/me", token: mina).json["user_id"]
      scene.world.clock.advance(milliseconds: 10_000)
      let revocation = scene.notice(scene.event("consent-revoked", "mina"))
      #expect(try await scene.tell(revocation) == 200)
      #expect(try await scene.me(mina) == "E02")
      #expect(try await scene.me(joon) == "200")
      #expect(try await scene.signIn("mina", token: old).code == "E03")
      scene.world.clock.advance(milliseconds: 10_000)
      let again = try await scene.person("mina")
      #expect(try await scene.world.call(.GET, "users/me", token: again).json["user_id"] == id)
      // Again, and one from before that comes late.
      #expect(try await scene.tell(revocation) == 200)
      let late = scene.notice(scene.event("consent-revoked", "mina", at: scene.now - 15))
      #expect(try await scene.tell(late) == 200)
      #expect(try await scene.me(again) == "200")
      #expect(try await scene.tell(scene.notice(scene.event("consent-revoked", "nobody"))) == 200)
      #expect(
        try await scene.audited() == [
          ["event": "consent-revoked", "sessions": "1", "actor": "provider apple", "subject": "mina@example.com"]
        ])
      let page = String(decoding: try await scene.world.call(.GET, "/metrics", key: nil).body, as: UTF8.self)
      for (outcome, count) in [("heeded", 1), ("repeated", 2), ("unknown", 1), ("refused", 0)] {
        #expect(
          page.contains("madang_provider_notices_total{provider=\"apple\",outcome=\"\(outcome)\"} \(count)\n"),
          "\(page)")
      }
    }
  }

  @Test("a notice dated in the future blocks sign-ins only until now")
  func future() async throws {
    try await Self.run(.sqlite) { scene in
      _ = try await scene.person("mina")
      scene.world.clock.advance(milliseconds: 10_000)
      #expect(try await scene.tell(scene.notice(scene.event("consent-revoked", "mina", at: scene.now + 1e6))) == 200)
      scene.world.clock.advance(milliseconds: 1_000)
      let mina = try await scene.person("mina")
      #expect(try await scene.me(mina) == "200")
    }
  }

  @Test("only recent notices that Apple signed for one of the apps count", arguments: TestEngine.available)
  func signatures(_ engine: TestEngine) async throws {
    try await Self.run(engine) { scene in
      let mina = try await scene.person("mina")
      let event = scene.event("account-delete", "mina")
      let good = try await scene.keys.sign(scene.notice(event), kid: "k1")
      let others = JWTKeyCollection()
      await others.add(ecdsa: ES256PrivateKey(), kid: "k1")
      var (issuer, audience, old) = (scene.notice(event), scene.notice(event), scene.notice(event))
      issuer.iss = "https://example.com"
      audience.aud = "com.example.evil"
      old.exp = scene.now - 1
      let unsigned = Data(#"{"alg":"none","kid":"k1"}"#.utf8).base64EncodedString()
      let parts = good.split(separator: ".")
      let nested = Data([UInt8](repeating: UInt8(ascii: "["), count: 513)).base64EncodedString()
      var payloads = [
        try await others.sign(scene.notice(event), kid: "k1"), String(good.dropLast(4)), "a.b.c", "",
        "\(nested).e30.AAAA",
        "\(unsigned.replacing("=", with: "")).\(parts[1]).", String(repeating: "a", count: 20_000),
        try await scene.identity("mina"),
      ]
      for notice in [issuer, audience, old, scene.notice("nothing"), scene.notice(scene.event("unheard-of", "mina"))] {
        payloads.append(try await scene.keys.sign(notice, kid: "k1"))
      }
      for payload in payloads { #expect(try await scene.tell(payload: payload) == 401, "\(payload.prefix(40))") }
      for body in [.json([:]), .json(["payload": 1]), .bytes([0xFF], type: "text/plain"), .none] as [World.Body] {
        #expect(try await scene.world.call(.POST, "/_hooks/apple", key: nil, body).status == 401)
      }
      #expect(try await scene.world.call(.GET, "/_hooks/apple", key: nil).code == "E01")
      #expect(try await scene.me(mina) == "200")
      // As Apple's page shows the event: an object.
      let object: JSON = ["type": "consent-revoked", "sub": "mina", "event_time": 1]
      #expect(try await scene.tell(scene.notice(object)) == 200)
      #expect(try await scene.me(mina) == "E02")
    }
  }

  @Test("notices are accepted only where configured, and junk counts for the limit of its address")
  func off() async throws {
    try await World.run(.sqlite) { (world) async throws in
      for path in ["/_hooks/apple", "/_hooks/kakao", "/_hooks/other"] {
        #expect(try await world.call(.POST, path, key: nil, .json([:])).code == "E01")
      }
    }
    try await Self.run(.sqlite, requests: 5) { scene in
      var statuses: [Int] = []
      for _ in 0..<7 { statuses.append(try await scene.tell(payload: "junk")) }
      #expect(Set(statuses.dropLast(1)) == [401] && statuses.last == 429)
    }
  }

  @Test("notices of disabled mail forwarding change nothing")
  func mails() async throws {
    try await Self.run(.sqlite) { scene in
      let mina = try await scene.person("mina")
      for _ in 0..<5 {
        #expect(try await scene.tell(scene.notice(scene.event("email-disabled", "mina"))) == 200)
      }
      #expect(try await scene.me(mina) == "200")
      #expect(try await scene.audited() == [])
    }
  }

  @Test(
    "a deletion at the provider deletes the account only if a setting says so, and never one on hold",
    arguments: TestEngine.available)
  func deletion(_ engine: TestEngine) async throws {
    try await Self.run(engine) { scene in
      let mina = try await scene.person("mina")
      #expect(try await scene.tell(scene.notice(scene.event("account-delete", "mina"))) == 200)
      #expect(try await scene.me(mina) == "E02")
      let record = try await scene.world.server.madang.accountRecord(email: "mina@example.com")
      #expect(record.deletedAt == nil && record.disabledAt == nil)
    }
    try await Self.run(engine, deletes: true) { scene in
      let madang = scene.world.server.madang
      let (mina, sora) = (try await scene.person("mina"), try await scene.person("sora"))
      let kakao = try await scene.kakaoPerson("42")
      // Mina owns a workspace, so her account cannot be deleted before she hands it over.
      _ = try await scene.world.call(.POST, "workspaces", token: mina, .json(["name": "Minas", "description": "d"]))
      for subject in ["mina", "sora"] {
        #expect(try await scene.tell(scene.notice(scene.event("account-delete", subject))) == 200)
      }
      #expect(try await scene.tellKakao("42", "ACCOUNT_DELETE") == 200)
      for token in [mina, sora, kakao] { #expect(try await scene.me(token) == "E02") }
      #expect(try await madang.accountRecord(email: "mina@example.com").deletedAt == nil)
      for email in ["sora@example.com", "k42@example.com"] {
        await #expect { _ = try await madang.accountRecord(email: email) } throws: {
          ($0 as? Failure)?.code == .noSuchUser
        }
      }
      let kept = try await scene.audited().compactMap { $0["kept"] }
      #expect(kept.count == 1 && kept[0].contains("'Minas'"))
      let deleted = try await AuditTests.entries(scene.world, .accountDeleted)
      #expect(deleted.map(\.actor) == ["provider apple", "provider kakao"])
      // Both send another notice about the deleted person.
      #expect(try await scene.tell(scene.notice(scene.event("account-delete", "sora"))) == 200)
      #expect(try await scene.tellKakao("42", "ACCOUNT_DELETE") == 200)
      #expect(scene.unlinked.value.isEmpty)
    }
  }

  @Test(
    "in read-only mode a notice still ends sessions; a deletion is refused until the mode ends",
    arguments: TestEngine.available)
  func readOnly(_ engine: TestEngine) async throws {
    try await Self.run(engine, deletes: true) { scene in
      let madang = scene.world.server.madang
      let (mina, sora) = (try await scene.person("mina"), try await scene.person("sora"))
      let kakao = try await scene.kakaoPerson("42")
      scene.world.clock.advance(milliseconds: 10_000)
      _ = try await madang.beginReadOnlyMode(reason: "", by: .hana)
      #expect(try await scene.tell(scene.notice(scene.event("consent-revoked", "sora"))) == 200)
      #expect(try await scene.tellKakao("42", "UNLINK_FROM_APPS") == 200)
      let deletion = scene.notice(scene.event("account-delete", "mina"))
      for _ in 0..<2 { #expect(try await scene.tell(deletion) == 503) }
      for token in [mina, sora, kakao] { #expect(try await scene.me(token) == "E02") }
      #expect(try await madang.accountRecord(email: "mina@example.com").deletedAt == nil)
      #expect(try await scene.audited().compactMap { $0["kept"] } == ["read-only mode"])
      _ = try await madang.endReadOnlyMode(by: .hana)
      #expect(try await scene.tell(deletion) == 200)
      await #expect { _ = try await madang.accountRecord(email: "mina@example.com") } throws: {
        ($0 as? Failure)?.code == .noSuchUser
      }
    }
  }

  @Test("Kakao's notices need the admin key and this app's id", arguments: TestEngine.available)
  func kakao(_ engine: TestEngine) async throws {
    try await Self.run(engine) { scene in
      let (one, two) = (try await scene.kakaoPerson("41"), try await scene.kakaoPerson("42"))
      for key in ["KakaoAK wrong", "admin", ""] {
        #expect(try await scene.tellKakao("42", "UNLINK_FROM_APPS", key: key) == 401, "\(key)")
      }
      #expect(try await scene.tellKakao("42", "UNLINK_FROM_APPS", app: "8") == 401)
      for number in ["", "-1", "x", "99999999999999999999"] {
        #expect(try await scene.tellKakao(number, "UNLINK_FROM_APPS") == 401)
      }
      #expect(try await scene.me(one) == "200")
      #expect(try await scene.me(two) == "200")
      #expect(try await scene.tellKakao("42", "UNLINK_FROM_APPS") == 200)
      #expect(try await scene.me(one) == "200")
      #expect(try await scene.me(two) == "E02")
      #expect(try await scene.tellKakao("41", "UNLINK_FROM_ADMIN", method: .GET) == 200)
      #expect(try await scene.me(one) == "E02")
      #expect(try await scene.tellKakao("43", "INCOMPLETE_SIGN_UP") == 200)
      // Kakao itself refuses tokens that it has revoked: what it takes later signs in.
      scene.world.clock.advance(milliseconds: 1)
      let again = try await scene.kakaoPerson("42")
      #expect(try await scene.me(again) == "200")
    }
  }

  @Test("a sign-in under way while access is revoked leaves no session", arguments: TestEngine.available)
  func race(_ engine: TestEngine) async throws {
    try await Self.run(engine) { scene in
      _ = try await scene.person("mina")
      let token = try await scene.identity("mina")
      scene.world.clock.advance(milliseconds: 10_000)
      let revocation = try await scene.keys.sign(scene.notice(scene.event("consent-revoked", "mina")), kid: "k1")
      try await withThrowingTaskGroup(of: Void.self) { group in
        for number in 0..<30 {
          group.addTask {
            if number == 15 {
              #expect(try await scene.tell(payload: revocation) == 200)
            } else {
              let answer = try await scene.signIn("mina", token: token)
              #expect(answer.status == 200 || answer.code == "E03")
            }
          }
        }
        try await group.waitForAll()
      }
      #expect(try await scene.world.server.madang.accountRecord(email: "mina@example.com").sessions == 0)
    }
  }

  @Test(
    "a sign-in that asked Kakao before a notice begins no session after it",
    arguments: TestEngine.available)
  func kakaoRace(_ engine: TestEngine) async throws {
    try await Self.run(engine) { scene in
      _ = try await scene.kakaoPerson("42")
      scene.duringKakao.value = {
        let status = try await scene.tellKakao("42", "UNLINK_FROM_APPS")
        #expect(status == 200)
      }
      let answer = try await SocialSignInTests.signIn(scene.world, "kakao", ["oauthToken": "42"])
      #expect(answer.code == "E03")
      #expect(try await scene.world.server.madang.accountRecord(email: "k42@example.com").sessions == 0)
    }
  }

  @Test(
    "after a deletion by notice only a newer token makes a new account, for a day",
    arguments: TestEngine.available)
  func afterDeletion(_ engine: TestEngine) async throws {
    try await Self.run(engine, deletes: true) { scene in
      let madang = scene.world.server.madang
      let old = try await scene.identity("mina")
      _ = try await scene.person("mina")
      _ = try await scene.kakaoPerson("42")
      scene.world.clock.advance(milliseconds: 10_000)
      #expect(try await scene.tell(scene.notice(scene.event("account-delete", "mina"))) == 200)
      #expect(try await scene.signIn("mina", token: old).code == "E03")
      scene.duringKakao.value = {
        let status = try await scene.tellKakao("42", "ACCOUNT_DELETE")
        #expect(status == 200)
      }
      #expect(try await SocialSignInTests.signIn(scene.world, "kakao", ["oauthToken": "42"]).code == "E03")
      scene.world.clock.advance(milliseconds: 10_000)
      let new = try await scene.person("mina")
      #expect(try await scene.me(new) == "200")
      func remembered() async throws -> Int {
        try await madang.forgetDeletedSignIns()
        return try await madang.database.read { transaction in
          try transaction.one("SELECT COUNT(*) AS number FROM deleted_sign_ins") { try $0.get("number") }
        }
      }
      #expect(try await remembered() == 2)
      scene.world.clock.advance(milliseconds: 24 * 3_600_000)
      #expect(try await remembered() == 0)
    }
  }

  @Test(
    "a deletion at Apple that is older than the account or its last notice deletes nothing",
    arguments: TestEngine.available)
  func lateDeletion(_ engine: TestEngine) async throws {
    try await Self.run(engine, deletes: true) { scene in
      let mina = try await scene.person("mina")
      let before = scene.event("account-delete", "mina", at: scene.now - 3600)
      #expect(try await scene.tell(scene.notice(before)) == 200)
      #expect(try await scene.me(mina) == "200")
      scene.world.clock.advance(milliseconds: 20_000)
      #expect(try await scene.tell(scene.notice(scene.event("consent-revoked", "mina"))) == 200)
      scene.world.clock.advance(milliseconds: 10_000)
      let again = try await scene.person("mina")
      let late = scene.event("account-delete", "mina", at: scene.now - 15)
      #expect(try await scene.tell(scene.notice(late)) == 200)
      #expect(try await scene.me(again) == "200")
      #expect(try await AuditTests.entries(scene.world, .accountDeleted).isEmpty)
    }
  }

  @Test(
    "times written by a clock that was ahead block neither notices nor sign-ins",
    arguments: TestEngine.available)
  func clockAhead(_ engine: TestEngine) async throws {
    try await Self.run(engine) { scene in
      let mina = try await scene.person("mina")
      let ahead = scene.world.clock.now + 3_600_000
      _ = try await scene.world.server.madang.database.write { transaction in
        try transaction.execute("UPDATE users SET sign_in_revoked_at = \(ahead)")
      }
      let again = try await scene.person("mina")
      for token in [mina, again] { #expect(try await scene.me(token) == "200") }
      #expect(try await scene.tell(scene.notice(scene.event("consent-revoked", "mina"))) == 200)
      for token in [mina, again] { #expect(try await scene.me(token) == "E02") }
      #expect(try await scene.audited().map { $0["sessions"] } == ["2"])
    }
  }

  @Test("the time of Apple's events may be in seconds", arguments: TestEngine.available)
  func seconds(_ engine: TestEngine) async throws {
    try await Self.run(engine) { scene in
      let old = try await scene.identity("mina")
      _ = try await scene.person("mina")
      scene.world.clock.advance(milliseconds: 10_000)
      let event: JSON = ["type": "consent-revoked", "sub": "mina", "event_time": .number(scene.now.rounded(.down))]
      #expect(try await scene.tell(scene.notice(event)) == 200)
      #expect(try await scene.signIn("mina", token: old).code == "E03")
      for time in ["-1", "-9223372036854775808", "9223372036854775807"] {
        let event = #"{"type":"consent-revoked","sub":"nobody","event_time":\#(time)}"#
        #expect(try await scene.tell(scene.notice(.text(event))) == 200)
      }
    }
  }

  @Test("junk never asks Apple for keys, and unknown keys do so once a minute")
  func keysAskedFor() async throws {
    try await Self.run(.sqlite) { scene in
      let others = JWTKeyCollection()
      await others.add(ecdsa: ES256PrivateKey(), kid: "other")
      let foreign = try await others.sign(scene.notice(scene.event("consent-revoked", "mina")), kid: "other")
      for payload in ["x", "a.b.c", ""] { #expect(try await scene.tell(payload: payload) == 401) }
      #expect(scene.apple.value.asked == 0)
      scene.apple.change { $0.answer = (503, "") }
      // It is unknown whether the notice is Apple's, so Apple has to send it again.
      try await withThrowingTaskGroup(of: Void.self) { group in
        for _ in 0..<20 {
          group.addTask {
            let status = try await scene.tell(payload: foreign)
            #expect(status == 503)
          }
        }
        try await group.waitForAll()
      }
      #expect(scene.apple.value.asked == 1)
      scene.apple.change { $0.answer = nil }
      scene.world.clock.advance(milliseconds: 10_000)
      for _ in 0..<5 { #expect(try await scene.tell(payload: foreign) == 401) }
      #expect(scene.apple.value.asked == 2)
      scene.world.clock.advance(milliseconds: 60_000)
      for _ in 0..<5 { #expect(try await scene.tell(payload: foreign) == 401) }
      #expect(scene.apple.value.asked == 3)
    }
  }

  @Test("while Apple does not answer, its keys are used for a day and requested once a minute")
  func oldKeys() async throws {
    try await Self.run(.sqlite) { scene in
      _ = try await scene.person("mina")
      scene.apple.change { $0.answer = (503, "") }
      scene.world.clock.advance(milliseconds: 25 * 3_600_000)
      for _ in 0..<5 { _ = try await scene.person("mina") }
      #expect(scene.apple.value.asked == 2)
      scene.world.clock.advance(milliseconds: 60_000)
      _ = try await scene.person("mina")
      #expect(scene.apple.value.asked == 3)
      scene.world.clock.advance(milliseconds: 24 * 3_600_000)
      #expect(try await scene.signIn("mina", token: try await scene.identity("mina")).code == "E03")
      scene.apple.change { $0.answer = nil }
      scene.world.clock.advance(milliseconds: 60_000)
      _ = try await scene.person("mina")
      #expect(scene.apple.value.asked == 5)
    }
  }

  @Test("deleting an account unlinks it at Kakao, and a failure is reported")
  func unlinking() async throws {
    for (answer, isTold) in [
      ((200, #"{"id":42}"#), true), ((400, #"{"msg":"NotRegisteredUserException","code":-101}"#), true),
      ((500, ""), false), ((401, #"{"msg":"wrong appKey","code":-401}"#), false),
    ] as [(FakeProvider.Answer, Bool)] {
      try await Self.run(.sqlite, unlinkAnswer: answer) { scene in
        _ = try await scene.kakaoPerson("42")
        let administration = Administration(
          scene.world.server.madang, scene.world.server.settings, actingAs: .hana)
        var words = ""
        do { _ = try await administration.deleteAccount("k42@example.com") } catch { words = "\(error)" }
        #expect(words.isEmpty == isTold, "\(words)")
        if !isTold { #expect(words.contains("the account was deleted") && words.contains("target_id=42")) }
        #expect(!words.contains("KakaoAK admin"))
        let calls = scene.unlinked.value
        #expect(calls.count == (isTold ? 1 : 2))
        #expect(Set(calls) == ["KakaoAK admin target_id_type=user_id&target_id=42"])
        #expect(try await AuditTests.entries(scene.world, .providerUnlinked).count == (isTold ? 1 : 0))
        #expect(try await AuditTests.entries(scene.world, .accountDeleted).count == 1)
      }
    }
  }

  @Test("contradicting settings of notices are refused by name")
  func settings() {
    func problems(_ change: (inout ServerSettings) -> Void) -> [String] {
      var settings = ServerSettings()
      change(&settings)
      return settings.problems()
    }
    #expect(problems { $0.providers.apple.takesNotices = true }.contains { $0.hasPrefix("apple.notices") })
    #expect(problems { $0.providers.kakao.adminKey = "k" }.contains { $0.hasPrefix("kakao.admin.key") })
    #expect(
      problems { $0.accounts.deletedWithProvider = true }.contains { $0.hasPrefix("accounts.delete.with.provider") })
    #expect(
      problems {
        ($0.providers.apple.takesNotices, $0.providers.apple.audiences, $0.accounts.deletedWithProvider) = (
          true, ["a"], true
        )
      } == [])
  }
}
