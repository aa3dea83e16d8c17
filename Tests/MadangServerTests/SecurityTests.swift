import Crypto
import Foundation
import HTTPTypes
import JWTKit
import MadangAPI
import NIOHTTP1
import SocketIOSupport
import Storage
import Support
import Testing

@testable import MadangCore
@testable import MadangOperations
@testable import MadangProviders
@testable import MadangServer

/// What `docs/reference/security.md` promises and no other suite shows.
@Suite("Promises of the security page", .timeLimit(.minutes(5)))
struct SecurityTests {
  private func join(_ world: World, password: String, email: String = "mina@example.com") async throws -> World.Answer {
    let fields: JSON = ["email": .text(email), "password": .text(password), "nickname": "Mina"]
    return try await world.call(.POST, "users/join", .json(fields))
  }

  @Test("passwords have 8 to 128 characters, and every character counts")
  func passwordLengths() async throws {
    try await World.run(.sqlite) { (world) async throws in
      #expect(try await join(world, password: "Passw0!").code == "E11")
      #expect(try await join(world, password: "Passw0rd!" + String(repeating: "x", count: 120)).code == "E11")
      for length in [8, 64, 128] {
        let password = "Passw0!" + String(repeating: "x", count: length - 7)
        let email = "p\(length)@example.com"
        #expect(try await join(world, password: password, email: email).status == 200, "\(length)")
        func signIn(_ password: String) async throws -> World.Answer {
          try await world.call(.POST, "users/login", .json(["email": .text(email), "password": .text(password)]))
        }
        #expect(try await signIn(password).status == 200)
        #expect(try await signIn(password.dropLast() + "y").code == "E03")
      }
    }
  }

  @Test("a password hash costs what OWASP recommends, unless settings change it")
  func passwordCost() { #expect(ServerSettings().domain.passwords.cost == PasswordCost(memory: 19 * 1024, passes: 2)) }

  @Test("one subject at two providers is two accounts")
  func subjects() async throws {
    try await World.run(.sqlite) { (world) async throws in
      let apple = try await SocialSignInTests.signIn(
        world, "apple",
        ["idToken": .text(try await world.socialToken("apple", "7", "a@example.com")), "nickname": "Apple"])
      let kakao = try await SocialSignInTests.signIn(
        world, "kakao",
        ["oauthToken": .text(try await world.socialToken("kakao", "7", "k@example.com", nickname: "Kakao"))])
      let ids = try [apple, kakao].map { try $0.json["user_id"]?.string }
      #expect(!ids.contains(nil) && ids[0] != ids[1])
    }
  }

  @Test("access tokens are signed with HS256 by our key; every other algorithm or key is refused")
  func algorithms() async throws {
    let secret = Array(repeating: UInt8(7), count: 64)
    let tokens = await AccessTokens(secret: secret)
    let token = try await tokens.issue(session: SessionID(number: 7, begun: 1), edition: "2024-10", expiresAt: 1)
    let parts = token.split(separator: ".").map(String.init)
    func decoded(_ text: String) throws -> String {
      let padded = text.replacing("-", with: "+").replacing("_", with: "/")
        .padding(toLength: (text.count + 3) / 4 * 4, withPad: "=", startingAt: 0)
      return String(decoding: try #require(Data(base64Encoded: padded)), as: UTF8.self)
    }
    #expect(try decoded(parts[0]).contains(#""alg":"HS256""#))
    #expect(await tokens.claims(of: token)?.session == SessionID(number: 7, begun: 1))

    func encoded(_ text: String) -> String {
      Data(text.utf8).base64EncodedString().replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
    }
    for header in [#"{"alg":"none","typ":"JWT"}"#, #"{"typ":"JWT"}"#] {
      for mark in ["", ".", ".\(parts[2])"] {
        #expect(await tokens.claims(of: "\(encoded(header)).\(parts[1])\(mark)") == nil, "\(header) \(mark)")
      }
    }
    let claims = AccessTokens.Claims(session: SessionID(number: 7, begun: 1), edition: "2024-10", expiresAt: 1)
    let others = JWTKeyCollection()
    await others.add(hmac: HMACKey(key: .init(data: secret)), digestAlgorithm: .sha512, kid: "512")
    await others.add(hmac: HMACKey(key: .init(data: secret + [0])), digestAlgorithm: .sha256, kid: "other")
    await others.add(ecdsa: ES256PrivateKey(), kid: "ec")
    for kid in ["512", "other", "ec"] as [JWKIdentifier] {
      #expect(await tokens.claims(of: try await others.sign(claims, kid: kid)) == nil, "\(kid)")
    }
  }

  @Test("each use of the installation's secret has its own key")
  func keys() {
    let secret = Array(repeating: UInt8(7), count: 64)
    let keys = ["socket cookie", "decoy passwords", "second steps"].map { Secrets.key(for: $0, from: secret) }
    #expect(keys.allSatisfy { $0.count == 32 && $0 != secret } && Set(keys).count == keys.count)
  }

  @Test(
    "the server's own code hashes with SHA-2 and Argon2id; SHA-1 only where WebSocket and authenticator apps demand it")
  func hashes() throws {
    let root = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../Sources").standardized
    var old: [String] = []
    for path in try FileManager.default.subpathsOfDirectory(atPath: root.path) where path.hasSuffix(".swift") {
      let text = try String(contentsOf: root.appending(path: path), encoding: .utf8)
      if text.contains("Insecure.SHA1") || text.contains(".sha1(of:") || text.contains("MD5") { old.append(path) }
    }
    #expect(
      old.sorted() == [
        "MadangCore/Administrators/SecondStep.swift", "SocketIOServer/WebSocket/WebSocketHandshake.swift",
      ])
  }

  @Test("a request that gives its length twice over is refused")
  func smuggling() async throws {
    try await World.run(.sqlite) { (world) async throws in
      let heads = [
        "Content-Length: 4\r\nTransfer-Encoding: chunked", "Transfer-Encoding: chunked\r\nContent-Length: 4",
        "Content-Length: 4\r\nContent-Length: 5",
      ]
      for head in heads {
        let answer = try await world.exchange(
          Array(
            """
            POST /v1/users/login HTTP/1.1\r\nHost: x\r\nSesacKey: \(DevelopmentKey.october2024)\r\n\(head)\r\n\r\n\
            0\r\n\r\nGET /livez HTTP/1.1\r\nHost: x\r\n\r\n
            """.utf8)
        ) { $0.contains("\r\n\r\n") }
        #expect(answer.hasPrefix("HTTP/1.1 400") && !answer.contains("\"ok\""), "\(head): \(answer)")
      }
    }
  }

  @Test("other methods and folders, and paths out of a folder, find nothing")
  func nothingThere() async throws {
    try await World.run(.sqlite) { (world) async throws in
      let mina = try await world.signUp("Mina")
      for method in [.TRACE, .CONNECT, .PATCH, .OPTIONS, .RAW(value: "TRACK")] as [HTTPMethod] {
        let answer = try await OperationsTests.ask(
          world, "/v1/users/me", method: method.rawValue,
          [("SesacKey", DevelopmentKey.october2024), ("Authorization", mina.token)])
        #expect(!answer.contains(mina.token) && OperationsTests.status(answer) != "200", "\(method): \(answer)")
      }
      let paths = [
        "static", "static/", "static/workspaceCoverImages", "static/workspaceCoverImages/",
        "static/..%2F..%2Fmadang.sqlite", "static/%2e%2e/secrets/access-token.key", "/.git/config", "/.env",
      ]
      for path in paths { #expect(try await mina.call(.GET, path).status == 400, "\(path)") }
    }
  }

  @Test("development mode is for this machine only, and its calls and explanations are for development mode only")
  func development() async throws {
    for host in ["0.0.0.0", "::", "192.0.2.1"] {
      var settings = World.settings
      settings.host = host
      #expect(settings.problems().contains { $0.hasPrefix("--dev") }, "\(host)")
    }
    try await World.run(.sqlite, settings: SocketCookieTests.settings()) { (world) async throws in
      for path in ["/_dev/pushes", "/_dev/clock"] {
        #expect(try await world.call(.GET, path).code == "E97")
        #expect(try await world.call(.POST, path, .json([:])).code == "E97")
      }
      let refused = try await world.call(.GET, "users/me")
      #expect(refused.code == "E02" && refused.headers["X-Madang-Explanation"].isEmpty)
    }
  }

  @Test("unknown fields change nothing")
  func otherFields() async throws {
    try await World.run(.sqlite) { (world) async throws in
      let (mina, joon) = (try await world.signUp("Mina"), try await world.signUp("Joon"))
      let fields: JSON = [
        "nickname": "Mina", "sesacCoin": 9999, "user_id": .text(joon.id), "email": "other@example.com",
        "provider": "apple", "owner_id": .text(joon.id), "name": "ios", "workspace_id": .text(joon.id),
        "createdAt": "2000-01-01T00:00:00.000Z",
      ]
      _ = try await mina.put("users/me", fields)
      let me = try await mina.get("users/me")
      #expect(me["sesacCoin"] == 100 && me["email"] == .text(mina.email) && me["user_id"] == mina.userID)
      #expect(me["provider"] == .null)
      let workspace = try await mina.post("workspaces", fields)
      #expect(workspace["owner_id"] == mina.userID && workspace["workspace_id"] != .text(joon.id))
      #expect(workspace["createdAt"]?.string?.hasPrefix("2000") == false)
      let path = "workspaces/\(try #require(workspace["workspace_id"]?.string))"
      #expect(try await mina.put(path, fields)["owner_id"] == mina.userID)
    }
  }

  @Test("an internal failure is E99 for the caller and a line in the log")
  func failures() async throws {
    let log = LogRecorder()
    try await World.run(.sqlite, logger: log.logger) { (world) async throws in
      let mina = try await world.signUp("Mina")
      await world.server.madang.database.close()
      let answer = try await mina.call(.GET, "workspaces")
      #expect(answer.status == 500 && answer.code == "E99")
      #expect(log.lines.contains { $0.hasPrefix("request failed") })
    }
  }

  @Test(
    "sign-ins, failed sign-ins, forbidden calls and excess calls are logged with address and without secrets"
  )
  func securityLog() async throws {
    let log = LogRecorder()
    var settings = World.settings
    settings.callLimits.requests = 5
    settings.limits.securityLines = 5
    try await World.run(.sqlite, settings: settings, logger: log.logger) { (world) async throws in
      let mina = try await world.signUp("Mina")
      let wrong: JSON = ["email": .text(mina.email), "password": "Wrong1!pass"]
      #expect(try await world.call(.POST, "users/login", .json(wrong)).code == "E03")
      let joon = try await world.signUp("Joon")
      let path = try await mina.workspace()
      _ = try await mina.post("\(path)/members", ["email": .text(joon.email)])
      #expect(try await joon.code(.DELETE, path) == "E14")
      for _ in 0..<8 { _ = try await joon.call(.GET, "workspaces") }
      let lines = log.lines.filter { $0.contains("address=") }
      let expected = ["signed in", "sign-in refused", "signed in", "refused: not the owner", "refused: too many calls"]
      #expect(lines.count == 5 && zip(lines, expected).allSatisfy { $0.hasPrefix($1) }, "\(lines)")
      #expect(lines.allSatisfy { $0.contains("address=127.0.0.1") && $0.contains("call=") })
      #expect(lines[0].contains("session=") && lines[1].contains("call=POST /v1/users/login"))
      // A minute later the next line has the number of omitted lines.
      world.clock.advance(milliseconds: 60_000)
      #expect(try await world.call(.POST, "users/login", .json(wrong)).code == "E03")
      #expect(log.lines.last?.contains("left-out=") == true)
      for secret in [mina.token, mina.refreshToken, mina.email, World.password, "Wrong1!pass"] {
        #expect(!log.lines.contains { $0.contains(secret) })
      }
    }
  }

  @Test("JSON answers and documents have headers that keep browsers from running, framing or guessing them")
  func browserHeaders() async throws {
    try await World.run(.sqlite) { (world) async throws in
      let mina = try await world.signUp("Mina")
      let answers = [
        try await mina.call(.GET, "users/me"), try await world.call(.GET, "users/me"),
        try await world.call(.GET, "/openapi/2024-10.json"), try await world.call(.GET, "/readyz"),
      ]
      for answer in answers {
        #expect(answer.headers["X-Content-Type-Options"] == ["nosniff"])
        #expect(answer.headers["Content-Security-Policy"] == ["default-src 'none'; frame-ancestors 'none'"])
      }
    }
  }

  @Test("addresses of providers are https, or of this machine")
  func providerURLs() {
    var settings = ServerSettings()
    settings.providers.portOne.url = "http://api.example.com"
    #expect(settings.problems().contains { $0.hasPrefix("payments.portone.url") })
    for url in ["https://api.example.com", "http://127.0.0.1:8099", "http://localhost:8099"] {
      settings.providers.portOne.url = url
      #expect(!settings.problems().contains { $0.hasPrefix("payments.portone.url") }, "\(url)")
    }
  }

  @Test("Apple's tokens need the algorithm of Apple's key, not none or an HMAC of the public key")
  func appleAlgorithms() async throws {
    let key = ES256PrivateKey()
    let parameters = try #require(key.parameters)
    func urlSafe(_ text: String) -> String {
      text.replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
    }
    let set = """
      {"keys":[{"kty":"EC","crv":"P-256","kid":"k","alg":"ES256","use":"sig","x":"\(urlSafe(parameters.x))",\
      "y":"\(urlSafe(parameters.y))"}]}
      """
    let keys = try await AppleTokens.keys(of: ProviderCalls.Answer(status: 200, body: Array(set.utf8)))
    let claims = #"{"iss":"https://appleid.apple.com","aud":"com.example.chat","sub":"1","exp":4102444800}"#
    func encoded(_ text: String) -> String { urlSafe(Data(text.utf8).base64EncodedString()) }
    func identity(_ token: String) async -> String? {
      await AppleTokens.claims(of: token, as: AppleTokens.Identity.self, keys: keys)?.subject.value
    }
    func token(_ algorithm: String, _ signature: (Data) throws -> Data) throws -> String {
      let head = "\(encoded(#"{"alg":"\#(algorithm)","kid":"k","typ":"JWT"}"#)).\(encoded(claims))"
      return "\(head).\(urlSafe(try signature(Data(head.utf8)).base64EncodedString()))"
    }
    let pair = try P256.Signing.PrivateKey(pemRepresentation: key.pemRepresentation)
    let good = try token("ES256") { try pair.signature(for: $0).rawRepresentation }
    #expect(await identity(good) == "1")
    for secret in [pair.publicKey.pemRepresentation, parameters.x, "k", ""].map({ SymmetricKey(data: Data($0.utf8)) }) {
      let forged = try token("HS256") { Data(HMAC<SHA256>.authenticationCode(for: $0, using: secret)) }
      #expect(await identity(forged) == nil)
    }
    for algorithm in ["none", "None", "HS256", "RS256", "ES384", ""] {
      #expect(await identity(try token(algorithm) { _ in Data() }) == nil, "\(algorithm) without a signature")
    }
  }

  @Test("pages load nothing, run only their own script, and are neither framed, cached nor named to others")
  func pages() async throws {
    let settings = World.settings(\.publicURL, "https://chat.example.com")
    try await World.run(.sqlite, settings: settings) { (world) async throws in
      for path in ["/password", "/password/0123456789abcdef", "/invite/0123456789abcdef", "/confirm"] {
        let page = try await world.call(.GET, path, key: nil)
        guard page.headers["Content-Type"] == ["text/html; charset=utf-8"] else { continue }
        let policy = try #require(page.headers["Content-Security-Policy"].first)
        #expect(policy.contains("default-src 'none'") && policy.contains("frame-ancestors 'none'"), "\(path)")
        #expect(!policy.contains("unsafe") && !policy.contains("script-src 'self'"), "\(path)")
        #expect(!policy.contains("script-src") && !String(decoding: page.body, as: UTF8.self).contains("<script"))
        #expect(page.headers["Referrer-Policy"] == ["strict-origin"] && page.headers["Cache-Control"] == ["no-store"])
        #expect(page.headers["X-Content-Type-Options"] == ["nosniff"], "\(path)")
      }
      let form = try await world.call(.GET, "/password", key: nil)
      #expect(form.headers["Content-Type"] == ["text/html; charset=utf-8"])
    }
  }
}
