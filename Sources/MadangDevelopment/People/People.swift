import Hummingbird
import MadangAPI
import MadangCore
import MadangServer
import MadangWeb
import NIOCore
import Synchronization

/// The people of a server, who act for tests of clients: by name, without signing in.
package final class People: Sendable {
  private let current: CurrentServer
  private let posted = Mutex<(@Sendable (Chat) -> Void)?>(nil)

  init(_ current: CurrentServer) { self.current = current }

  /// Calls `body` with each chat that people post through this object.
  func onPost(_ body: @escaping @Sendable (Chat) -> Void) { posted.withLock { $0 = body } }

  /// The server of these people. Throws ``WorldError`` when it has ended.
  /// - Parameter channel: The connection of the request; it is closed if the answer takes too long at a reset.
  package func server(over channel: (any NIOCore.Channel)? = nil) throws(WorldError) -> ServerLease {
    guard let lease = current.lease(over: channel) else { throw WorldError("the server has stopped") }
    return lease
  }

  /// Answers a request as if this account had sent it to an edition, without needing a token. Throws `BadCall`.
  /// - Parameters:
  ///   - email: Nil for a client without an account.
  ///   - channel: The connection of the request.
  func answer(
    _ request: Request, as email: String?, _ edition: EditionName, over channel: any NIOCore.Channel
  ) async throws -> Response {
    let lease = try server(over: channel)
    guard lease.server.speaks(edition) else {
      throw BadCall("edition: this server does not speak \(edition.rawValue)")
    }
    var caller: Caller?
    if let email { caller = try await self.caller(email, edition, at: lease) }
    let answer = try await lease.server.answer(request, as: caller, edition, over: channel)
    if let payment = answer.learned.payment { lease.standIns.note(payment) }
    if let chat = answer.learned.chat { tell(chat, at: lease) }
    return answer.response.holding(lease)
  }

  /// The caller for an account, in a session of its own. Throws `BadCall`.
  private func caller(_ email: String, _ edition: EditionName, at lease: ServerLease) async throws -> Caller {
    do {
      guard let account = try await lease.server.madang.accountNumber(email: email) else {
        throw BadCall("there is no account with the e-mail '\(email)'")
      }
      return try await lease.standIns.sessions.caller(account, edition, lease.server.madang)
    } catch let failure as Failure { throw BadCall(failure.message) }
  }

  /// Adds the cookie that signs a browser in to the chat as a person. Throws `BadCall`.
  func signIn(_ person: Person, in response: inout Response, isSecure: Bool) async throws {
    let lease = try server()
    guard let chat = lease.server.chatPages else {
      throw BadCall("people/\(person.email)/browser: web.chat is off")
    }
    do {
      let session = try await lease.server.madang.beginSession(
        of: person.id.number, edition: EditionName.october2024.rawValue)
      chat.begin(refreshToken: session.refreshToken, in: &response, isSecure: isSecure)
    } catch let failure as Failure { throw BadCall(failure.message) }
  }

  private func tell(_ chat: Chat, at lease: ServerLease) {
    if !lease.isOver { posted.withLock(\.self)?(chat) }
  }

  /// A page of all people after a number, by number.
  package func list(after number: Int64 = 0, limit: Int) async throws -> [PersonSummary] {
    try await server().answering { try await $0.peopleWithWorkspaces(after: number, limit: limit) }.map {
      PersonSummary(
        email: $0.person.email, number: $0.person.id.number, id: $0.person.id.uuid, nickname: $0.person.nickname,
        workspaces: $0.workspaces)
    }
  }

  /// Lets a person act. Throws ``WorldError``, and ``Refused`` if the server's rules forbid it.
  /// - Returns: The posted chat, if any.
  @discardableResult
  package func perform(_ act: Act, as name: String) async throws -> Chat? {
    let lease = try server()
    do {
      let chat: Chat? = try await lease.answering { madang in
        let actor = try await person(name, madang)
        switch act {
        case .post(let text, let target, let files):
          let address = try await address(of: target, as: actor, madang)
          return try await post(text, files, to: address, as: actor, madang)
        case .join(let place): try await join(place, actor, madang)
        case .leave(let place): try await leave(place, actor, madang)
        }
        return nil
      }
      if let chat { tell(chat, at: lease) }
      return chat
    } catch let failure as Failure {
      throw Refused(code: MadangServer.code(of: failure), message: "\(act.words): \(failure.message)")
    }
  }

  // MARK: Places and targets

  private func address(of target: Act.Target, as actor: Person, _ madang: Madang) async throws -> RoomAddress {
    switch target {
    case .room(let address): return address
    case .channel(let place):
      let channel = try await channel(place, madang)
      return RoomAddress(.channel, .number(channel.id.number), in: .number(channel.workspace))
    case .person(let name, let place):
      if let problem = place?.problemBesidePerson { throw WorldError(problem) }
      let other = try await person(name, madang)
      let shared =
        if let place {
          try await workspace(place.workspace, madang)
        } else {
          try await madang.workspace(sharedBy: actor.id.number, and: other.id.number)
        }
      guard let shared else {
        throw WorldError(
          "\(actor.email) and \(other.email) share no workspace, so they cannot write to each other")
      }
      let workspace = Reference.number(shared.id.number)
      let room = try await madang.openDirectMessage(with: .number(other.id.number), in: workspace, as: .acting(actor))
      return RoomAddress(.dm, .number(room.id.number), in: workspace)
    }
  }

  /// Whether a chat was written in a place.
  func isIn(_ place: Place, _ chat: Chat) async throws -> Bool {
    guard chat.room.kind == .channel, place.channel.map({ $0 == chat.room.name }) ?? true else { return false }
    return try await server().answering { try await $0.workspace(named: place.workspace) }?.id.number
      == chat.room.workspace
  }

  /// Whether a chat is a direct message to a person.
  func isTo(_ name: String, _ chat: Chat) async throws -> Bool {
    guard chat.room.kind == .dm else { return false }
    return try await server().answering { madang in
      let other = try await person(name, madang).id.number
      return try await madang.isDirectMessage(chat.room.id.number, of: chat.author.id.number, and: other)
    }
  }

  // MARK: Acts

  private func post(
    _ text: String, _ files: Int, to address: RoomAddress, as actor: Person, _ madang: Madang
  ) async throws -> Chat {
    guard files > 0 else { return try await madang.post(ChatDraft(content: text), to: address, as: .acting(actor)) }
    let staged = try await madang.stage((0..<files).map(PlainPicture.numbered))
    do {
      let chat = try await madang.post(ChatDraft(content: text, files: staged.files), to: address, as: .acting(actor))
      await madang.files.discard(staged.uploads)
      return chat
    } catch {
      await madang.files.discard(staged.uploads)
      throw error
    }
  }

  /// Workspaces are joined by the owner's invitation, channels by reading them.
  private func join(_ place: Place, _ actor: Person, _ madang: Madang) async throws {
    guard place.channel == nil else {
      let address = try await address(of: .channel(place), as: actor, madang)
      _ = try await madang.history(of: address, after: nil, as: .acting(actor))
      return
    }
    let workspace = try await workspace(place.workspace, madang)
    guard let owner = try await madang.person(workspace.owner.number) else { return }
    _ = try await madang.invite(email: actor.email, to: .number(workspace.id.number), as: .acting(owner))
  }

  private func leave(_ place: Place, _ actor: Person, _ madang: Madang) async throws {
    if place.channel == nil {
      let workspace = try await workspace(place.workspace, madang)
      _ = try await madang.leaveWorkspace(.number(workspace.id.number), as: .acting(actor))
    } else {
      let channel = try await channel(place, madang)
      _ = try await madang.leaveChannel(
        .number(channel.id.number), in: .number(channel.workspace), as: .acting(actor))
    }
  }
}

extension MadangServer {
  /// The chat for browsers; nil if the settings turn it off.
  var chatPages: WebChat? { (annex as? WebPages)?.chat }
}

extension PlainPicture {
  /// A generated picture; successive ones have different colours.
  static func numbered(_ number: Int) -> [UInt8] {
    let shade = UInt8(truncatingIfNeeded: 40 + number * 53)
    return PlainPicture(color: [shade, 255 - shade, 128], width: 64, height: 64).png
  }
}
