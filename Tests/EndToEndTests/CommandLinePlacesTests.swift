import Foundation
import Testing

@Suite("madang: workspaces, channels, direct messages", .serialized, .timeLimit(.minutes(10)))
struct CommandLinePlacesTests {
  private func withTwo(_ body: (_ mina: Shell, _ joon: Shell) async throws -> Void) async throws {
    try await TestServer.run { server in
      let (mina, joon) = (Shell("mina", at: server), Shell("joon", at: server))
      try await mina.signUp("Mina")
      try await joon.signUp("준호")
      try await body(mina, joon)
    }
  }

  @Test("a workspace is created, listed and shown, and members are invited")
  func workspaces() async throws {
    try await withTwo { mina, joon in
      let created = try await mina.object("workspace", "create", "Builders", "--description", "we build")
      #expect(try await mina.object("workspace", "invite", "준호@example.com")["nickname"] == .text("준호"))
      let again = try await mina.run("workspace", "invite", "준호@example.com")
      #expect(again.status == 1)
      #expect(again.errors == ["madang: E12: it exists already"])
      #expect(try await joon.object("workspace", "list")["name"] == .text("Builders"))
      let detail = try await joon.object("workspace", "show")
      #expect(detail["workspace_id"] == created["workspace_id"])
      let members = try await joon.run("workspace", "members")
      #expect(members.output.map { $0.split(separator: " ").first } == ["NICKNAME", "Mina", "준호"])
      #expect(try await joon.objects("workspace", "members").map { $0["nickname"] } == [.text("Mina"), .text("준호")])
    }
  }

  @Test("commands act on the newest workspace, the one in use, or the named one")
  func use() async throws {
    try await withTwo { mina, _ in
      let first = try await mina.object("workspace", "create", "First")
      try await mina.object("workspace", "create", "Second")
      #expect(try await mina.object("workspace", "show")["name"] == .text("Second"))
      try await mina.object("workspace", "use", "First")
      #expect(try await mina.object("workspace", "show")["name"] == .text("First"))
      #expect(try await mina.object("workspace", "show", "-w", "Second")["name"] == .text("Second"))
      guard case .text(let id)? = first["workspace_id"] else { return #expect(Bool(false), "no id") }
      #expect(try await mina.object("workspace", "show", "--workspace", id)["name"] == .text("First"))
      let list = try await mina.run("workspace", "list")
      #expect(list.output.filter { $0.hasPrefix("*") }.map { $0.contains("First") } == [true])
      let unknown = try await mina.run("workspace", "show", "-w", "Third")
      #expect(unknown.status == 1)
      #expect(unknown.errors == ["madang: you are not in a workspace 'Third'"])
    }
  }

  @Test("a channel is created, listed and shown; wide names keep the columns aligned")
  func channels() async throws {
    try await withTwo { mina, joon in
      try await mina.object("workspace", "create", "Builders")
      try await mina.object("workspace", "invite", "준호@example.com")
      try await mina.object("channel", "create", "ios")
      let list = try await joon.run("channel", "list")
      #expect(list.output.count == 3)
      #expect(list.output[1].hasPrefix("#ios   "))
      #expect(list.output[2].hasPrefix("#일반  "), "four columns of Korean, then two of space")
      #expect(try await joon.object("channel", "mine")["name"] == .text("일반"))
      #expect(try await joon.object("channel", "show", "#ios")["name"] == .text("ios"))
      let members = try await joon.object("channel", "members", "ios")
      #expect(members["nickname"] == .text("Mina"))
      let taken = try await joon.run("channel", "create", "ios")
      #expect(taken.status == 1)
      #expect(taken.errors.first?.hasPrefix("madang: E12") == true)
    }
  }

  @Test("a direct message is opened by nickname or address, and listed")
  func directMessages() async throws {
    try await withTwo { mina, joon in
      try await mina.object("workspace", "create", "Builders")
      try await mina.object("workspace", "invite", "준호@example.com")
      let opened = try await mina.object("dm", "open", "@준호")
      #expect(try await joon.object("dm", "open", "@mina@example.com")["room_id"] == opened["room_id"])
      #expect(try await joon.object("dm", "list")["room_id"] == opened["room_id"])
      let nobody = try await mina.run("dm", "open", "@nobody")
      #expect(nobody.status == 1)
      #expect(nobody.errors == ["madang: there is no member @nobody in Builders"])
      let oneself = try await mina.run("dm", "open", "@Mina")
      #expect(oneself.errors.first?.hasPrefix("madang: E11") == true)
    }
  }

  @Test("a person without a workspace gets a hint how to join or create one")
  func none() async throws {
    try await withTwo { mina, _ in
      let outcome = try await mina.run("channel", "list")
      #expect(outcome.status == 1)
      #expect(outcome.errors.first?.contains("madang workspace create") == true)
      let list = try await mina.run("workspace", "list")
      #expect(list.status == 0)
      #expect(list.output == [])
    }
  }

  @Test("the owner of a workspace edits it, hands it over and leaves; the new owner deletes it")
  func workspaceOwners() async throws {
    try await withTwo { mina, joon in
      try await mina.object("workspace", "create", "Builders")
      try await mina.object("workspace", "invite", "준호@example.com")
      let edited = try await mina.object("workspace", "edit", "--name", "Makers", "--description", "we make")
      #expect(edited["name"] == .text("Makers"))
      #expect(try await joon.refusal("workspace", "edit", "--name", "Mine") == "E14")
      let found = try await joon.run("workspace", "search", "MINA")
      #expect(found.output == ["NAME   ABOUT", "@Mina  mina@example.com"])
      try await joon.object("workspace", "search", "일")
      #expect(try await mina.refusal("workspace", "leave", "--yes") == "E15")
      let asked = try await mina.run("workspace", "transfer", "@준호")
      #expect(asked.status == 64, "there is no terminal to ask")
      try await mina.object("workspace", "transfer", "@준호", "--yes")
      #expect(try await mina.refusal("workspace", "delete", "--yes") == "E14")
      #expect(try await mina.objects("workspace", "leave", "--yes") == [])
      let deleted = try await joon.run("workspace", "delete", "-y")
      #expect(deleted.status == 0)
      #expect(deleted.errors == ["Makers was deleted."])
      #expect(try await joon.objects("workspace", "list") == [])
      try await joon.object("workspace", "create", "For a moment")
      try await joon.object("workspace", "delete", "--yes")
    }
  }

  @Test("the owner of a channel edits it, hands it over and leaves; the new owner deletes it")
  func channelOwners() async throws {
    try await withTwo { mina, joon in
      try await mina.object("workspace", "create", "Builders")
      try await mina.object("workspace", "invite", "준호@example.com")
      try await mina.object("channel", "create", "ios")
      #expect(try await joon.run("history", "#ios").status == 0)
      let edited = try await mina.object("channel", "edit", "#ios", "--name", "swift", "--description", "birds")
      #expect(edited["name"] == .text("swift"))
      #expect(try await mina.refusal("channel", "edit", "일반", "--name", "x") == "E11")
      #expect(try await mina.refusal("channel", "leave", "swift", "--yes") == "E15")
      try await mina.object("channel", "transfer", "#swift", "@준호", "--yes")
      #expect(try await mina.objects("channel", "leave", "#swift", "--yes").map { $0["name"] } == [.text("일반")])
      #expect(try await mina.refusal("channel", "delete", "#swift", "--yes") == "E14")
      #expect(try await joon.object("channel", "delete", "#swift", "--yes") == [:])
      #expect(try await joon.objects("channel", "list").map { $0["name"] } == [.text("일반")])
    }
  }
}
