import Foundation
import Storage
import Support
import Testing

@Suite("madang admin for workspaces, files, mails and backups", .serialized, .timeLimit(.minutes(5)))
struct CommandLineAdminPlacesTests {
  @Test(
    "accounts and workspaces are found, members added and a workspace deleted, while the server runs",
    arguments: TestEngine.available)
  func places(_ engine: TestEngine) async throws {
    try await withEngine(engine) { place in
      var environment = [String: String]()
      if case .postgres(let url) = place { environment["MADANG_DATABASE_URL"] = url }
      try await TestServer.run(environment: environment) { server in
        environment["MADANG_DATA"] = server.folder.appending(path: "data").path
        let admin = Shell("operator", at: server, environment: environment)
        let (mina, joon) = (Shell("mina", at: server), Shell("joon", at: server))
        try await mina.signUp("Mina")
        try await joon.signUp("Joon")
        try await mina.object("workspace", "create", "Builders")

        let found = try await admin.objects("admin", "users", "list", "--find", "OON", "--state", "active")
        #expect(found.map { $0["email"] } == [.text("joon@example.com")] && found.first?["lastSeenAt"] != .other)
        #expect(try await admin.objects("admin", "users", "list", "--state", "disabled").isEmpty)
        #expect(try await admin.run("admin", "users", "list", "--state", "gone").status != 0)
        #expect(try await admin.objects("admin", "workspaces", "list", "--find", "build").count == 1)
        #expect(try await admin.objects("admin", "workspaces", "list", "--find", "nothing").isEmpty)

        let grown = try await admin.object("admin", "workspaces", "add-member", "Builders", "joon@example.com")
        #expect(grown["members"] == .number(2))
        #expect(try await joon.objects("workspace", "list").count == 1)
        let members = try await admin.objects("admin", "workspaces", "members", "Builders")
        #expect(members.map { $0["isOwner"] } == [.bool(true), .bool(false)])
        #expect(
          try await admin.refusal("admin", "workspaces", "add-member", "Builders", "joon@example.com")
            == "joon@example.com is a member already")
        try await admin.object("admin", "workspaces", "delete", "Builders", "--yes")
        #expect(try await joon.objects("workspace", "list").isEmpty)

        try await admin.object("admin", "invite", "sora@example.com")
        try await admin.object("admin", "invite", "theo@example.com")
        try await admin.object("admin", "invite", "revoke", "1", "--yes")
        #expect(try await admin.objects("admin", "invite", "list", "--open").map { $0["number"] } == [.number(2)])
        #expect(try await admin.object("admin", "files")["files"] == .number(0))
        #expect(try await admin.objects("admin", "mails").isEmpty)
        let backups = server.folder.appending(path: "backups").path
        #expect(try await admin.objects("admin", "backups", backups).isEmpty)
        let made = try await admin.object("admin", "backup", backups)
        #expect(try await admin.objects("admin", "backups", backups).map { $0["path"] } == [made["path"]])
      }
    }
  }
}
