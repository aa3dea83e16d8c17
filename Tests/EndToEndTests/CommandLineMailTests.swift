import Foundation
import MadangAPI
import Storage
import Support
import Testing

@Suite("madang admin mail", .serialized, .timeLimit(.minutes(10)))
struct CommandLineMailTests {
  /// Mails are addressed to a server that does not exist, so they stay queued.
  private static let mail = ["MADANG_MAIL_SMTP": "smtp://127.0.0.1:9", "MADANG_MAIL_FROM": "chat@example.com"]

  private func withServer(
    _ engine: TestEngine, _ body: (_ admin: Shell, _ off: Shell) async throws -> Void
  ) async throws {
    try await withEngine(engine) { place in
      var environment: [String: String] = [:]
      if case .postgres(let url) = place { environment["MADANG_DATABASE_URL"] = url }
      try await TestServer.run(environment: environment) { server in
        let person = Shell("mina", at: server)
        let made = try await person.run(
          "signup", "mina@example.com", "--nickname", "Mina", "--password-stdin", input: "Passw0rd!\n")
        #expect(made.status == 0)
        environment["MADANG_DATA"] = server.folder.appending(path: "data").path
        environment.merge(TestServer.cheapPasswords) { $1 }
        let off = Shell("nobody", at: server, environment: environment)
        environment.merge(Self.mail) { $1 }
        environment["MADANG_PUBLIC_URL"] = server.url
        try await body(Shell("admin", at: server, environment: environment), off)
      }
    }
  }

  @Test("a test mail and a password reset are queued if mails are configured", arguments: TestEngine.available)
  func queued(_ engine: TestEngine) async throws {
    try await withServer(engine) { admin, off in
      #expect(try await admin.object("admin", "mail", "mina@example.com")["to"] == .text("mina@example.com"))
      #expect(
        try await admin.refusal("admin", "mail", "a b@c.de")
          == "'a b@c.de' is not a mail address; write one like you@example.com")
      let account = try await admin.object("admin", "users", "reset-password", "mina@example.com", "--mail")
      #expect(account["email"] == .text("mina@example.com") && account["sessions"] == .number(1))
      #expect(
        try await admin.refusal("admin", "users", "reset-password", "x@example.com", "--mail")
          == "no account has the address x@example.com")
      #expect(try await off.refusal("admin", "mail", "mina@example.com").hasPrefix("no mails are sent"))
      let wrong = ["admin", "users", "reset-password", "mina@example.com", "--mail", "--password-stdin"]
      #expect(try await Program("madang", wrong).status() == 64)
      let kinds = try await admin.objects("admin", "audit").compactMap { $0["kind"] }
      #expect(kinds.contains(.text("passwordResetSent")))
    }
  }
}
