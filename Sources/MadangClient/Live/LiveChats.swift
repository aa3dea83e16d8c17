import MadangAPI
import SocketIOClient
import SocketIOProtocol

/// The live chats of some rooms: ``MadangClient/watch(_:after:)``.
public struct LiveChats: AsyncSequence, Sendable {
  public typealias Element = RoomEvent
  let client: MadangClient
  let rooms: [Room]
  let cursors: [Room: String]

  public func makeAsyncIterator() -> Iterator { Iterator(self) }

  public struct Iterator: AsyncIteratorProtocol {
    private let client: MadangClient
    private var feeds: [String: RoomFeed]
    private var waiting: ArraySlice<RoomEvent> = []
    private var socket: RunningSocket?
    private var updates: SocketIOClient.Updates.AsyncIterator?
    private var token = ""
    private var isLive = false
    private var isInterrupted = false

    init(_ chats: LiveChats) {
      client = chats.client
      feeds = [:]
      for room in chats.rooms { feeds[room.namespace.name] = RoomFeed(room, cursor: chats.cursors[room]) }
    }

    public mutating func next() async throws -> RoomEvent? {
      while !Task.isCancelled {
        if let event = waiting.popFirst() { return event }
        do {
          if updates == nil { try await open() }
          guard let update = try await updates?.next(isolation: #isolation) else { return nil }
          try await take(update)
        } catch SocketIOError.tooSlow {
          interrupted("the reader fell behind")
          updates = nil
        } catch let error as MadangError {
          guard case .unreachable(_, let reason) = error, socket != nil else { throw error }
          interrupted(reason)
          updates = nil
          try await Task.sleep(for: .seconds(1))
        }
      }
      return nil
    }
  }
}

extension LiveChats.Iterator {
  /// Asks for the rooms' namespaces, over a connection that is started if there is none.
  private mutating func open() async throws {
    if socket == nil {
      let now = try await client.serverTime()
      for namespace in feeds.keys { feeds[namespace]?.begin(at: now) }
      socket = try RunningSocket(client.configuration)
    }
    for namespace in feeds.keys { feeds[namespace]?.isJoined = false }
    token = try await client.session.current().accessToken
    updates = await socket?.client.updates(in: Array(feeds.keys), auth: try credentials()).makeAsyncIterator()
  }

  private func credentials() throws -> [UInt8] {
    try WireEncoder.encode(SocketCredentials(apiKey: client.configuration.apiKey, token: token))
  }

  private mutating func take(_ update: SocketIOClient.Update) async throws {
    let namespace = update.namespace
    switch update.kind {
    case .connected:
      try await catchUp(namespace)
    case .event(let event):
      guard let feed = feeds[namespace], feed.isJoined, event.name == feed.room.event.rawValue else { return }
      deliver([try feed.decode(event.arguments)], in: namespace)
    case .refused(let refusal):
      try await answer(refusal, of: namespace)
    case .disconnected(let reason):
      interrupted(reason.rawValue)
      feeds[namespace]?.isJoined = false
      guard reason == .serverNamespaceDisconnect else { return }
      // The server goes down, or this account lost the room: asking again tells which.
      try feeds[namespace]?.askAgain(orThrow: .notAllowed(namespace: namespace, message: reason.rawValue))
      await socket?.client.rejoin(namespace, auth: try credentials())
    case .waiting(let reason, _):
      interrupted(reason)
    }
  }

  private mutating func catchUp(_ namespace: String) async throws {
    guard let feed = feeds[namespace] else { return }
    if feed.mustCatchUp {
      deliver(try await client.history(of: feed.room, after: feed.cursor), in: namespace)
    }
    feeds[namespace]?.joined()
    guard !isLive, feeds.values.allSatisfy(\.isJoined) else { return }
    isLive = true
    isInterrupted = false
    waiting.append(.live)
  }

  private mutating func deliver(_ chats: [Chat], in namespace: String) {
    for chat in chats where feeds[namespace]?.isNew(chat) == true { waiting.append(.chat(chat)) }
  }

  private mutating func answer(_ refusal: SocketIOClient.Refusal, of namespace: String) async throws {
    guard let code = ErrorCode(rawValue: refusal.message) else {
      throw MadangError.notAllowed(namespace: namespace, message: refusal.message)
    }
    let error = MadangError.refused(code, status: code.status)
    guard code == .tokenExpired else {
      if code == .badToken { try await client.session.refused(access: token) }
      throw error
    }
    try feeds[namespace]?.askAgain(orThrow: error)
    token = try await client.session.renewed(after: token).accessToken
    await socket?.client.rejoin(namespace, auth: try credentials())
  }

  /// Tells once for each interruption, however many rooms and attempts it has.
  private mutating func interrupted(_ reason: String) {
    isLive = false
    if !isInterrupted { waiting.append(.interrupted(reason: reason)) }
    isInterrupted = true
  }
}
