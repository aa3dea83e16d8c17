import Foundation
import Logging
import MadangAPI
import Storage
import Support
import Testing

@testable import MadangCore
@testable import MadangOperations
@testable import MadangServer

@Suite("Administration of a running server", .timeLimit(.minutes(5)))
struct RunningAdministrationTests {
  /// Operations on the running server's own domain, as hana.
  static func administration(_ world: World, _ settings: ServerSettings = World.settings) -> Administration {
    Administration(world.server.madang, settings, actingAs: .hana)
  }

  @Test("a command on a full disk fails with the reason and the cure", arguments: TestEngine.available)
  func fullDisk(_ engine: TestEngine) async throws {
    try await World.run(engine) { (world) async throws in
      let error = await #expect(throws: AdministrationError.self) {
        try await Administration.run(world.server.settings, logger: Logger(label: "test")) { _ in
          throw StorageError(.diskFull, "SQLite 13: database or disk is full")
        }
      }
      #expect(
        error?.description
          == "the database refused it: SQLite 13: database or disk is full\n"
          + "make room on the disk of the database (docs/operate.md, Disk), and try again")
    }
  }

  @Test(
    "each action has an audit entry with the name and the network address of its administrator",
    arguments: TestEngine.available)
  func names(_ engine: TestEngine) async throws {
    try await World.run(engine) { world in
      let yard = try await world.courtyard()
      let channel = try await yard.a.channel("ios", in: yard.w)
      let chat = try await yard.a.say("spam", in: channel)
      let administration = Self.administration(world)
      let (email, place) = (yard.b.email, WorkspaceName("Weekend Builders"))
      _ = try await administration.giveCoins(5, to: email, note: "thanks")
      _ = try await administration.resetPassword(of: email, to: "N3w-word!")
      _ = try await administration.disable(email)
      _ = try await administration.enable(email)
      _ = try await administration.endSessions(of: email)
      let key = try await administration.createKey(.october2024, label: "an app")
      _ = try await administration.revokeKey(key.number)
      let invitation = try await administration.invite("n@example.com", days: 1)
      _ = try await administration.inviteByCode(uses: 2, days: 1)
      _ = try await administration.revokeInvitation(invitation.number)
      _ = try await administration.announce("Hello", title: "", from: email, workspace: nil)
      _ = try await administration.setQuota(of: place, channels: 9, members: nil, fileBytes: nil)
      _ = try await administration.setRetention(of: place, chats: 9, files: nil)
      _ = try await administration.findChats(ChatQuestion())
      try await administration.removeChat(try #require(chat["chat_id"]?.id))
      _ = try await administration.setHold(true, of: place)
      _ = try await administration.setHold(false, of: place)
      _ = try await administration.beginReadOnlyMode(reason: "a new disk")
      _ = try await administration.endReadOnlyMode()
      _ = try await administration.handOver(place, to: email)
      _ = try await administration.removeMember(yard.a.email, from: place)
      _ = try await administration.deleteAccount(yard.a.email)
      let entries = try await administration.audit(AuditQuestion()).filter { $0.actor.hasPrefix("administrator") }
      #expect(
        entries.map(\.kind) == [
          "coinsGiven", "passwordChanged", "accountDisabled", "accountEnabled", "sessionEnded", "keyCreated",
          "keyRevoked", "invitationMade", "invitationMade", "invitationRevoked", "announcementMade", "quotaChanged",
          "retentionChanged", "chatsSearched", "chatRemoved", "holdBegan", "holdEnded", "readOnlyBegan",
          "readOnlyEnded", "workspaceHandedOver", "memberRemoved", "accountDeleted",
        ])
      #expect(entries.allSatisfy { $0.actor == "administrator hana" && $0.address == "198.51.100.7" })
    }
  }

  @Test("refusals have a reason and a sentence", arguments: TestEngine.available)
  func refusals(_ engine: TestEngine) async throws {
    try await World.run(engine) { world in
      let yard = try await world.courtyard()
      let administration = Self.administration(world)
      func reason(_ body: (Administration) async throws -> Void) async -> AdministrationError.Reason? {
        do { try await administration.explainingErrors(body) } catch let error as AdministrationError {
          #expect(!error.description.isEmpty)
          return error.reason
        } catch { Issue.record(error) }
        return nil
      }
      #expect(await reason { _ = try await $0.disable("unknown@example.com") } == .notFound)
      #expect(await reason { _ = try await $0.workspace("unknown") } == .notFound)
      #expect(await reason { try await $0.endSession(4711) } == .notFound)
      #expect(await reason { _ = try await $0.invite(yard.a.email, days: 1) } == .duplicate)
      #expect(await reason { _ = try await $0.giveCoins(0, to: yard.a.email, note: "n") } == .other)
      #expect(await reason { _ = try await $0.deleteAccount(yard.a.email) } == .mustHandOver)
      #expect(await reason { _ = try await $0.sendTestMail(to: yard.a.email) } == .noMail)
      _ = try await administration.setHold(true, of: "Weekend Builders")
      #expect(await reason { _ = try await $0.deleteAccount(yard.b.email) } == .held)
      _ = try await administration.beginReadOnlyMode(reason: "")
      #expect(await reason { _ = try await $0.giveCoins(1, to: yard.a.email, note: "n") } == .readOnly)
      #expect(await reason { _ = try await $0.disable(yard.c.email) } == nil)
    }
  }
}
