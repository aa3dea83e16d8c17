import Foundation
import Testing

@Suite("madang: account", .serialized, .timeLimit(.minutes(1)))
struct CommandLineAccountTests {
  private let meKeys: Set<String> = [
    "user_id", "email", "nickname", "profileImage", "phone", "provider", "sesacCoin", "createdAt",
  ]

  @Test("signing up prints the account as data and a word for people beside it")
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

  @Test("with --json the object of the wire is all that is printed, and no token is in it")
  func json() async throws {
    try await TestServer.run { server in
      let mina = Shell("mina", at: server)
      try await mina.signUp("Mina")
      let me = try await mina.object("whoami")
      #expect(Set(me.keys) == meKeys)
      #expect(me["email"] == .text("mina@example.com"))
    }
  }

  @Test("the profile is readable by its owner only")
  func profileMode() async throws {
    try await TestServer.run { server in
      let mina = Shell("mina", at: server)
      try await mina.signUp("Mina")
      let attributes = try FileManager.default.attributesOfItem(atPath: mina.profile.path)
      #expect((attributes[.posixPermissions] as? NSNumber)?.intValue == 0o600)
    }
  }

  @Test("signing in takes the password from a file; a wrong one is refused with the server's code and meaning")
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

  @Test("after signing out nobody is signed in")
  func logOut() async throws {
    try await TestServer.run { server in
      let mina = Shell("mina", at: server)
      try await mina.signUp("Mina")
      #expect(try await mina.object("logout") == [:])
      let outcome = try await mina.run("whoami")
      #expect(outcome.status == 1)
      #expect(outcome.errors == ["madang: nobody is signed in"])
      #expect(!(try String(contentsOf: mina.profile, encoding: .utf8)).contains("Token"))
    }
  }

  @Test("an expired token is renewed unseen and kept; a session expired for good is refused and forgotten")
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
      #expect(try await mina.run("whoami").errors == ["madang: nobody is signed in"])
    }
  }

  @Test("tokens go to the server they came from only")
  func otherServer() async throws {
    try await TestServer.run { server in
      let mina = Shell("mina", at: server)
      try await mina.signUp("Mina")
      let other = server.url.replacingOccurrences(of: "127.0.0.1", with: "localhost")
      let outcome = try await mina.run("whoami", "--server", other)
      #expect(outcome.status == 1)
      #expect(outcome.errors == ["madang: nobody is signed in"])
    }
  }
}
