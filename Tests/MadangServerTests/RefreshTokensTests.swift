import MadangAPI
import MadangCore
import MadangOperations
import MadangServer
import NIOHTTP1
import Support
import Testing

/// Odd uses of refresh tokens by real clients (wire contract, Sessions and tokens; Refresh tokens; Call limits).
@Suite("Odd refresh tokens and refresh loops", .timeLimit(.minutes(5)))
struct RefreshTokensTests {
  private static let day: Int64 = 24 * 3_600_000

  private func refresh(_ person: TestPerson, showing access: String?) async throws -> World.Answer {
    try await person.world.call(
      .GET, "auth/refresh", token: access, key: person.edition.developmentKey,
      headers: [(HeaderName.refreshToken, person.refreshToken)])
  }

  private func newToken(_ person: TestPerson, showing access: String?) async throws -> String {
    try #require(try await refresh(person, showing: access).json["accessToken"]?.string)
  }

  private func me(_ person: TestPerson, _ token: String) async throws -> World.Answer {
    try await person.world.call(
      .GET, person.edition == .january2024 ? "users/my" : "users/me", token: token, key: person.edition.developmentKey)
  }

  // MARK: As access tokens

  @Test(
    "a refresh token as access token is accepted until it expires, then it is E06, and E02 once its session has ended",
    arguments: TestEngine.available, EditionName.allCases)
  func asAccessToken(_ engine: TestEngine, _ edition: EditionName) async throws {
    try await World.run(engine) { (world) async throws in
      let mina = try await world.signUp("Mina", through: edition)
      #expect(try await me(mina, mina.refreshToken).status == 200)
      #expect(try await me(mina, " Bearer \(mina.refreshToken) ").status == 200)
      // It outlives the access token. E05 would send its client to refresh for ever, E02 is not what it signs out on.
      world.clock.advance(milliseconds: Self.day + 1)
      #expect(try await me(mina, mina.token).code == "E05")
      #expect(try await me(mina, mina.refreshToken).status == 200)
      world.clock.advance(milliseconds: 29 * Self.day)
      for _ in 0..<12 { #expect(try await me(mina, mina.refreshToken).code == "E06") }
      for path in ["users/logout", "static/profiles/x.png", "static/workspaceCoverImages/default.png"] {
        let answer = try await world.call(.GET, path, token: mina.refreshToken, key: edition.developmentKey)
        #expect(answer.code == "E06", "\(path)")
      }
      let elsewhere = EditionName.allCases.first { $0 != edition }?.developmentKey
      #expect(try await world.call(.GET, "workspaces", token: mina.refreshToken, key: elsewhere).code == "E02")

      let again = try await world.signIn(mina, through: edition)
      let signedOut = try await world.call(
        .GET, "users/logout", token: again.refreshToken, key: edition.developmentKey)
      #expect(signedOut.status == 200)
      #expect(try await me(again, again.refreshToken).code == "E02")
      #expect(try await me(again, again.token).code == "E02")
    }
  }

  @Test("on a refresh, a refresh token in Authorization proves nothing", arguments: EditionName.allCases)
  func onRefresh(_ edition: EditionName) async throws {
    try await World.run(.sqlite) { (world) async throws in
      let mina = try await world.signUp("Mina", through: edition)
      #expect(try await refresh(mina, showing: mina.refreshToken).status == 200)
    }
  }

  @Test("calls with a refresh token count for its session, not for the address")
  func limitOfSession() async throws {
    try await World.run(.sqlite, settings: World.settings(\.callLimits.requests, 5)) { (world) async throws in
      let mina = try await world.signUp("Mina")
      for _ in 0..<5 { #expect(try await me(mina, mina.refreshToken).status == 200) }
      #expect(try await me(mina, mina.token).code == "E98")
      #expect(try await world.call(.GET, "users/me").code == "E02")
    }
  }

  // MARK: Parallel expiry

  @Test(
    "in 2024-01 each E05 of the last five seconds allows one early refresh, then it is E04",
    arguments: TestEngine.available)
  func earlyRefreshes(_ engine: TestEngine) async throws {
    try await World.run(engine) { (world) async throws in
      let mina = try await world.signUp("Mina", through: .january2024)
      #expect(try await refresh(mina, showing: mina.token).code == "E04")
      world.clock.advance(milliseconds: Self.day + 1)
      #expect(try await me(mina, mina.token).code == "E05")
      let new = try await newToken(mina, showing: mina.token)
      #expect(try await refresh(mina, showing: new).status == 200)
      #expect(try await refresh(mina, showing: new).code == "E04")
      for _ in 0..<2 { #expect(try await me(mina, mina.token).code == "E05") }
      world.clock.advance(milliseconds: 5000)
      #expect(try await refresh(mina, showing: new).status == 200)
      world.clock.advance(milliseconds: 1)
      #expect(try await refresh(mina, showing: new).code == "E04")
      // Another session's expiry is no excuse.
      let other = try await world.signIn(mina, through: .january2024)
      #expect(try await me(mina, mina.token).code == "E05")
      #expect(try await refresh(other, showing: other.token).code == "E04")
      #expect(try await refresh(mina, showing: new).status == 200)
    }
  }

  @Test(
    "a client that refreshes after every refusal soon shows the refusal of a call made right after an expiry",
    arguments: TestEngine.available, EditionName.allCases)
  func refusalAfterExpiry(_ engine: TestEngine, _ edition: EditionName) async throws {
    try await World.run(engine) { (world) async throws in
      let mina = try await world.signUp("Mina", through: edition)
      world.clock.advance(milliseconds: Self.day + 1)
      var newest = mina.token
      var codes: [String?] = []
      for _ in 0..<30 {
        let answer = try await world.call(.GET, "workspaces/0", token: newest, key: edition.developmentKey)
        codes.append(answer.code)
        let refreshed = try await refresh(mina, showing: newest)
        guard let token = try refreshed.json["accessToken"]?.string else {
          codes.append(refreshed.code)
          break
        }
        newest = token
      }
      #expect(codes.first == "E05" && codes.dropFirst().dropLast().allSatisfy { $0 == "E13" })
      #expect(codes.last == (edition == .january2024 ? "E04" : "E98"))
      #expect(codes.count <= (edition == .january2024 ? 4 : 24))
    }
  }

  @Test("in 2024-01 parallel requests that meet one expiry all succeed after a refresh, whichever token it shows")
  func parallelExpiries() async throws {
    try await World.run(.sqlite) { (world) async throws in
      let mina = try await world.signUp("Mina", through: .january2024)
      world.clock.advance(milliseconds: Self.day + 1)
      for _ in 0..<8 { #expect(try await me(mina, mina.token).code == "E05") }
      var newest = mina.token
      for _ in 0..<8 { newest = try await newToken(mina, showing: newest) }
      #expect(try await me(mina, newest).status == 200)
    }
  }

  @Test(
    "forty calls that meet one expiry may refresh forty times, with the old token, the new one or none",
    arguments: TestEngine.available, EditionName.allCases)
  func manyAtOneExpiry(_ engine: TestEngine, _ edition: EditionName) async throws {
    try await World.run(engine) { (world) async throws in
      let mina = try await world.signUp("Mina", through: edition)
      world.clock.advance(milliseconds: Self.day + 1)
      for _ in 0..<40 { #expect(try await me(mina, mina.token).code == "E05") }
      var newest = try await newToken(mina, showing: mina.token)
      for _ in 0..<20 { newest = try await newToken(mina, showing: newest) }
      for _ in 0..<19 { newest = try await newToken(mina, showing: nil) }
      for _ in 0..<40 { #expect(try await me(mina, newest).status == 200) }
    }
  }

  @Test(
    "pictures loaded six at a time, each of which meets the expiry, all load",
    arguments: TestEngine.available, EditionName.allCases)
  func picturesAtOneExpiry(_ engine: TestEngine, _ edition: EditionName) async throws {
    try await World.run(engine) { (world) async throws in
      let mina = try await world.signUp("Mina", through: edition)
      world.clock.advance(milliseconds: Self.day + 1)
      var newest = mina.token
      for row in 0..<7 {
        let pictures = (0..<6).map { "static/workspaceCoverImages/default.png?\(row)-\($0)" }
        for picture in pictures {
          let answer = try await world.call(.GET, picture, token: mina.token, key: edition.developmentKey)
          #expect(answer.code == "E05", "\(picture)")
        }
        for picture in pictures {
          newest = try await newToken(mina, showing: newest)
          let answer = try await world.call(.GET, picture, token: newest, key: edition.developmentKey)
          #expect(answer.status == 200, "\(picture)")
        }
      }
    }
  }

  @Test("each E05 excuses one refresh, and twenty more are allowed")
  func excuses() async throws {
    try await World.run(.sqlite) { (world) async throws in
      let mina = try await world.signUp("Mina")
      world.clock.advance(milliseconds: Self.day + 1)
      for _ in 0..<15 { #expect(try await me(mina, mina.token).code == "E05") }
      var newest = try await newToken(mina, showing: mina.token)
      for _ in 0..<34 { newest = try await newToken(mina, showing: newest) }
      #expect(try await refresh(mina, showing: newest).code == "E98")
      // An answer excuses a refresh for ten seconds.
      world.clock.advance(milliseconds: 10_001)
      #expect(try await me(mina, mina.token).code == "E05")
      world.clock.advance(milliseconds: 10_001)
      for _ in 0..<10 { newest = try await newToken(mina, showing: newest) }
      #expect(try await refresh(mina, showing: newest).code == "E98")
    }
  }

  @Test("sixty refreshes with the expired token succeed at one expiry; beyond a hundred they count like others")
  func expiredRefreshes() async throws {
    try await World.run(.sqlite) { (world) async throws in
      let mina = try await world.signUp("Mina", through: .january2024)
      world.clock.advance(milliseconds: Self.day + 1)
      for _ in 0..<60 {
        #expect(try await me(mina, mina.token).code == "E05")
        #expect(try await refresh(mina, showing: mina.token).status == 200)
      }
      for _ in 0..<46 { #expect(try await refresh(mina, showing: mina.token).status == 200) }
      #expect(try await me(mina, mina.token).code == "E98")
      for _ in 0..<14 { #expect(try await refresh(mina, showing: mina.token).status == 200) }
      #expect(try await refresh(mina, showing: mina.token).code == "E98")
    }
  }

  // MARK: Loops

  @Test(
    "an expired token repeated after refreshes excuses none; its client gets twenty more, never E98 as a token",
    arguments: TestEngine.available)
  func deadTokenInParallel(_ engine: TestEngine) async throws {
    try await World.run(engine) { (world) async throws in
      let mina = try await world.signUp("Mina")
      world.clock.advance(milliseconds: Self.day + 1)
      // Twelve requests at once, each refreshed; then again, now with the new token beside the old one.
      for _ in 0..<12 { #expect(try await me(mina, mina.token).code == "E05") }
      var newest = mina.token
      for _ in 0..<12 { newest = try await newToken(mina, showing: mina.token) }
      for _ in 0..<12 { #expect(try await me(mina, mina.token).code == "E05") }
      for _ in 0..<12 { newest = try await newToken(mina, showing: newest) }
      #expect(try await me(mina, mina.token).code == "E98")
      for _ in 0..<8 { newest = try await newToken(mina, showing: newest) }
      let refused = try await refresh(mina, showing: newest)
      #expect(refused.code == "E98")
      #expect((1...10).contains(Int(refused.headers["retry-after"].first ?? "") ?? 0))
      world.clock.advance(milliseconds: 10_001)
      #expect(try await refresh(mina, showing: newest).status == 200)
      #expect(try await me(mina, mina.token).code == "E05")
    }
  }

  @Test("an expired token that comes again in time keeps the twenty refreshes, whenever it first came")
  func deadTokenGoesOn() async throws {
    try await World.run(.sqlite) { (world) async throws in
      let mina = try await world.signUp("Mina")
      world.clock.advance(milliseconds: Self.day + 1)
      #expect(try await me(mina, mina.token).code == "E05")
      let new = try await newToken(mina, showing: mina.token)
      world.clock.advance(milliseconds: 6000)
      for _ in 0..<12 { #expect(try await refresh(mina, showing: new).status == 200) }
      world.clock.advance(milliseconds: 3600)
      #expect(try await me(mina, mina.token).code == "E98")
      world.clock.advance(milliseconds: 520)
      #expect(try await refresh(mina, showing: new).status == 200)
    }
  }

  @Test("a public route ignores a refresh token in Authorization")
  func publicRoute() async throws {
    try await World.run(.sqlite, settings: World.settings(\.callLimits.requests, 3)) { (world) async throws in
      let mina = try await world.signUp("Mina")
      for _ in 0..<3 { #expect(try await me(mina, mina.refreshToken).status == 200) }
      #expect(try await me(mina, mina.refreshToken).code == "E98")
      let body = World.Body.json(["email": .text(mina.email), "password": .text(World.password)])
      #expect(try await world.call(.POST, "users/login", token: mina.refreshToken, body).status == 200)
    }
  }

  @Test(
    "after ten refused refreshes of a token, it and the session's expired token are E98; other sessions are not",
    arguments: TestEngine.available)
  func refusedRefreshes(_ engine: TestEngine) async throws {
    try await World.run(engine, settings: World.settings(\.callLimits.requests, 40)) { (world) async throws in
      let mina = try await world.signUp("Mina")
      world.clock.advance(milliseconds: 30 * Self.day + 1)
      #expect(try await me(mina, mina.token).code == "E05")
      for _ in 0..<10 { #expect(try await refresh(mina, showing: nil).code == "E06") }
      #expect(try await refresh(mina, showing: nil).code == "E98")
      #expect(try await me(mina, mina.token).code == "E98")

      let unknown = { (token: String) async throws -> String? in
        try await world.call(.GET, "auth/refresh", headers: [(HeaderName.refreshToken, token)]).code
      }
      for _ in 0..<10 { #expect(try await unknown("stale") == "E02") }
      #expect(try await unknown("stale") == "E98")
      #expect(try await unknown("other") == "E02")
      // A client that loops does not keep others at its address, or itself, from signing in.
      for _ in 0..<40 { #expect(try await refresh(mina, showing: nil).code == "E98") }
      let again = try await world.signIn(mina, through: .october2024)
      #expect(try await me(again, again.token).status == 200)
      world.clock.advance(milliseconds: 10_001)
      #expect(try await refresh(mina, showing: nil).code == "E06")
    }
  }
}
