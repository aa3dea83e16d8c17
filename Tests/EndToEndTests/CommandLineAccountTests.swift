import Foundation
import Testing

@Suite("madang: account", .serialized, .timeLimit(.minutes(10)))
struct CommandLineAccountTests {
  @Test("signing up prints the account as data, and a message on standard error")
  func signUp() async throws {
    try await TestServer.run { server in
      let outcome = try await Shell("mina", at: server).run(
        "signup", "mina@example.com", "--nickname", "미나", "--password-stdin", input: "Passw0rd!\n")
      #expect(outcome.status == 0)
      #expect(outcome.output.contains("nickname  미나"))
      #expect(outcome.output.contains("coins     100"))
      #expect(outcome.errors == ["Signed up and in."])
    }
  }

  @Test("--json prints the object of the wire only, without tokens")
  func json() async throws {
    try await TestServer.run { server in
      let mina = Shell("mina", at: server)
      try await mina.signUp("Mina")
      let me = try await mina.object("whoami")
      #expect(me["email"] == .text("mina@example.com"))
    }
  }

  @Test("only its owner can read the profile")
  func profileMode() async throws {
    try await TestServer.run { server in
      let mina = Shell("mina", at: server)
      try await mina.signUp("Mina")
      let attributes = try FileManager.default.attributesOfItem(atPath: mina.profile.path)
      #expect((attributes[.posixPermissions] as? NSNumber)?.intValue == 0o600)
    }
  }

  @Test("signing in takes the password from a file; a wrong one is refused with the server's code and its meaning")
  func logIn() async throws {
    try await TestServer.run { server in
      try await Shell("mina", at: server).signUp("Mina")
      let elsewhere = Shell("elsewhere", at: server)
      let file = server.folder.appending(path: "password")
      try Data("Passw0rd!\n".utf8).write(to: file)
      let me = try await elsewhere.object("login", "mina@example.com", "--password-file", file.path)
      #expect(me["nickname"] == .text("Mina"))
      let wrong = try await elsewhere.run("login", "mina@example.com", "--password-stdin", input: "wrong\n")
      #expect(wrong.status == 1)
      #expect(wrong.output == [])
      #expect(wrong.errors == ["madang: E03: the account does not exist, or signing in failed"])
    }
  }

  @Test("after signing out, commands report that the profile is signed out")
  func logOut() async throws {
    try await TestServer.run { server in
      let mina = Shell("mina", at: server)
      try await mina.signUp("Mina")
      #expect(try await mina.object("logout") == [:])
      let outcome = try await mina.run("whoami")
      #expect(outcome.status == 1)
      #expect(outcome.errors == ["madang: not signed in; sign in with `madang login`"])
      #expect(!(try String(contentsOf: mina.profile, encoding: .utf8)).contains("Token"))
    }
  }

  @Test("an expired token is renewed silently and stored; an expired session is refused and removed")
  func expiry() async throws {
    try await TestServer.run { server in
      let mina = Shell("mina", at: server)
      try await mina.signUp("Mina")
      let before = try String(contentsOf: mina.profile, encoding: .utf8)
      try await server.advanceClock(seconds: 25 * 3600)
      try await mina.object("whoami")
      #expect(try String(contentsOf: mina.profile, encoding: .utf8) != before)
      try await server.advanceClock(seconds: 40 * 86_400)
      let late = try await mina.run("whoami")
      #expect(late.status == 1)
      #expect(late.errors == ["madang: E06: the refresh token has expired: sign in again"])
      #expect(try await mina.run("whoami").errors == ["madang: not signed in; sign in with `madang login`"])
    }
  }

  @Test("tokens are sent only to the server that issued them")
  func otherServer() async throws {
    try await TestServer.run { server in
      let mina = Shell("mina", at: server)
      try await mina.signUp("Mina")
      let other = server.url.replacingOccurrences(of: "127.0.0.1", with: "localhost")
      let outcome = try await mina.run("whoami", "--server", other)
      #expect(outcome.status == 1)
      #expect(
        outcome.errors.count == 1 && outcome.errors[0].hasPrefix("madang: this profile is not signed in at \(other): "))
      #expect(outcome.errors[0].contains("belongs to \(server.url); sign in with `madang login --server \(other)`"))
    }
  }

  @Test("the account is edited field by field, with its picture; members see each other; coins are shown")
  func profile() async throws {
    try await TestServer.run { server in
      let (mina, joon) = (Shell("mina", at: server), Shell("joon", at: server))
      try await mina.signUp("Mina")
      try await joon.signUp("Joon")
      #expect(try await mina.object("coins") == ["sesacCoin": .number(100)])
      let edited = try await mina.object("profile", "edit", "--nickname", "미나", "--phone", "010-1234-5678")
      #expect(edited["nickname"] == .text("미나"))
      #expect(edited["phone"] == .text("010-1234-5678"))
      #expect(try await mina.object("profile", "edit", "--phone", "")["phone"] == .text(""))
      let picture = server.folder.appending(path: "me.png")
      try Data(TestPicture.png).write(to: picture)
      guard case .text(let path)? = try await mina.object("profile", "edit", "--image", picture.path)["profileImage"]
      else { return #expect(Bool(false), "no picture") }
      #expect(path.hasPrefix("/static/profiles/"))
      #expect(try await mina.object("profile", "show")["profileImage"] == .text(path))
      try await mina.object("workspace", "create", "Builders")
      try await mina.object("workspace", "invite", "joon@example.com")
      let seen = try await joon.object("profile", "show", "@미나")
      #expect(seen["profileImage"] == .text(path))
      let missing = try await mina.run("profile", "edit", "--nickname", "x", "--image", "/nonexistent.png")
      #expect(missing.status == 1)
      #expect(try await mina.object("whoami")["nickname"] == .text("미나"), "nothing was changed")
    }
  }

  @Test("the coins of a payment are credited once")
  func store() async throws {
    try await TestServer.run { server in
      let mina = Shell("mina", at: server)
      try await mina.signUp("Mina")
      #expect(try await mina.objects("store", "list").first == ["item": .text("10 Coin"), "amount": .text("100")])
      try await server.pay(#"{"merchant_uid":"m-1","amount":100,"imp_uid":"imp-1"}"#)
      let billing = try await mina.object("store", "buy", "imp-1", "m-1")
      #expect(billing["sesacCoin"] == .number(10))
      #expect(try await mina.object("coins") == ["sesacCoin": .number(110)])
      #expect(try await mina.refusal("store", "buy", "imp-1", "m-1") == "E81")
    }
  }

  @Test("named profiles hold several accounts; --profile or MADANG_PROFILE selects one")
  func profiles() async throws {
    try await TestServer.run { server in
      let shell = Shell("unused", at: server)
      let home = ["XDG_CONFIG_HOME": server.folder.path, "MADANG_PROFILE": ""]
      for name in ["mina", "joon"] {
        let outcome = try await shell.run(
          "signup", "\(name)@example.com", "--nickname", name, "--password-stdin", "--profile", name,
          environment: home, input: "Passw0rd!\n")
        #expect(outcome.status == 0, "\(outcome.errors)")
      }
      #expect(try await shell.run("logout", "--profile", "joon", environment: home).status == 0)
      let whoami = try await shell.run("whoami", "--profile", "mina", "--json", environment: home)
      #expect(try whoami.objects().first?["email"] == .text("mina@example.com"))
      let chosen = home.merging(["MADANG_PROFILE": "mina"]) { $1 }
      let all = try await shell.run("profiles", "--json", environment: chosen).objects()
      CommandLineShapes.documented.check(all, of: ["profiles"])
      #expect(all.map { $0["name"] } == [.text("joon"), .text("mina")])
      #expect(all.map { $0["signedIn"] } == [.bool(false), .bool(true)])
      #expect(all.map { $0["current"] } == [.bool(false), .bool(true)])
      let people = try await shell.run("profiles", environment: chosen)
      #expect(people.output.last?.hasPrefix("* mina  http://") == true)
    }
  }
}

/// The smallest picture: one transparent pixel.
enum TestPicture {
  static let png: [UInt8] = Array(
    Data(
      base64Encoded:
        "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==") ?? Data())
}
