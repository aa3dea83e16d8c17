import Foundation
import MadangAPI
import MadangClient

/// One room as a full-screen conversation needs it: all that it asks of the client library is here.
struct Conversation: Sendable {
  let person: Person
  let workspace: Edition2024_10.Workspace
  let named: NamedRoom

  /// What happens besides typing.
  enum News: Sendable {
    /// The room's chats from its beginning, or those missed during an interruption: the last of them, and whether
    /// further ones come live.
    case caughtUp([Chat])
    case chat(Chat)
    case interrupted(String)
    /// Unread chats by room, this one left out.
    case unread([(room: String, count: Int)])
    case sending(String)
    case sent
    /// A post failed; its text, if it had any, can be typed again.
    case notSent(String, reason: String)
    case allSent
    case ended(any Error)
  }

  enum Outgoing: Sendable {
    case text(String)
    case file(path: String)
  }

  /// Tells of the room's chats until cancelled.
  func follow(_ tell: (News) -> Void) async {
    var missed: [Chat] = []
    var isLive = false
    do {
      for try await event in person.client.watch([named.room], after: [named.room: WireDate.string(0)]) {
        switch event {
        case .chat(let chat) where isLive:
          try person.markRead([chat])
          tell(.chat(chat))
        case .chat(let chat):
          missed.append(chat)
          if missed.count >= 2 * ChatScreen.limit { missed.removeFirst(missed.count - ChatScreen.limit) }
        case .live:
          isLive = true
          try person.markRead(missed)
          tell(.caughtUp(missed))
          missed = []
        case .interrupted(let reason):
          isLive = false
          tell(.interrupted(reason))
        }
      }
    } catch {
      tell(.ended(error))
    }
  }

  /// Tells how much is unread in the other rooms until cancelled, anew with every chat in one of them.
  func countOthers(_ tell: (News) -> Void) async {
    while !Task.isCancelled {
      do {
        let others = try await person.rooms(of: workspace).filter { $0.room != named.room }
        guard !others.isEmpty else { return tell(.unread([])) }
        for try await event in person.client.watch(others.map(\.room)) {
          if case .interrupted = event { continue }
          tell(.unread(try await person.unread(in: others).map { ($0.name, $0.unread.count) }))
        }
      } catch {
        // A room may have been deleted or left: count those that there are.
        try? await Task.sleep(for: .seconds(5))
      }
    }
  }

  /// Posts one after another what is said, until `outgoing` ends.
  func send(_ outgoing: AsyncStream<Outgoing>, _ tell: @escaping @Sendable (News) -> Void) async {
    for await next in outgoing {
      do {
        switch next {
        case .text(let text):
          tell(.sending("sending ..."))
          try await person.client.post(text, to: named.room)
        case .file(let path):
          let upload = try Upload(file: URL(filePath: path))
          try await person.client.post("", files: [upload], to: named.room) { sent, total in
            tell(.sending("\(upload.name) \(100 * sent / max(1, total))%"))
          }
        }
        tell(.sent)
      } catch {
        var text = ""
        if case .text(let typed) = next { text = typed }
        tell(.notSent(text, reason: "not sent: \(error)"))
      }
    }
    tell(.allSent)
  }
}
