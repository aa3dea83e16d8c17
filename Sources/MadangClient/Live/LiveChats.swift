import MadangAPI
import SocketIOClient
import SocketIOProtocol

/// The live chats of some rooms: ``MadangClient/watch(_:after:)``.
public struct LiveChats: AsyncSequence, Sendable {
  public typealias Element = RoomEvent
  let client: MadangClient
  let rooms: [RoomAddress]
  let cursors: [RoomAddress: String]

  public func makeAsyncIterator() -> Iterator { Iterator(self) }

  public struct Iterator: AsyncIteratorProtocol {
    private let client: MadangClient
    private var feeds: [String: RoomFeed]
    private var waiting: ArraySlice<RoomEvent> = []
    private var socket: RunningSocket?
    private var updates: SocketIOClient.Updates.AsyncIterator?
    /// The missed chats of a room that is being caught up.
    private var missed: (namespace: String, pages: HistoryPages.Iterator)?
    private var token = ""
    private var isLive = false
    private var isInterrupted = false
    /// How many catch-ups have failed in a row.
    private var failures = 0

    init(_ chats: LiveChats) {
      client = chats.client
      feeds = [:]
      for room in chats.rooms { feeds[room.namespace.name] = RoomFeed(room, cursor: chats.cursors[room]) }
    }

    public mutating func next() async throws -> RoomEvent? {
      guard try await gather() else { return nil }
      return waiting.popFirst()
    }

    /// All available events, at least one; nil at the end.
    mutating func nextBatch() async throws -> ArraySlice<RoomEvent>? {
      guard try await gather() else { return nil }
      defer { waiting = [] }
      return waiting
    }

    /// Waits until there is an event; false at the end.
    private mutating func gather() async throws -> Bool {
      while !Task.isCancelled {
        if !waiting.isEmpty { return true }
        do {
          if try await catchUpFurther() { continue }
          if updates == nil { try await open() }
          guard let update = try await updates?.next(isolation: #isolation) else { return false }
          try await take(update)
        } catch SocketIOError.tooSlow {
          interrupted("the reader fell behind")
          updates = nil
        } catch let error as MadangError {
          guard error.isPassing, socket != nil else { throw error }
          interrupted(error.meaning)
          updates = nil
          failures += 1
          let delay = client.configuration.backoff.delay(after: failures, chance: .random(in: 0...1))
          // The sleep ends early if the task is cancelled, and then the loop ends.
          try? await Task.sleep(for: delay)
        } catch is CancellationError {
          return false
        }
      }
      return false
    }
  }
}

extension LiveChats.Iterator {
  /// Requests the rooms' namespaces. Starts a connection if there is none.
  private mutating func open() async throws {
    if socket == nil {
      if feeds.values.contains(where: \.needsBeginning) {
        // Chats that are posted at this very moment are newer than this date, even if a test server's clock stands still.
        let now = WireDate.string(try await client.serverTime() - 1)
        for namespace in feeds.keys { feeds[namespace]?.begin(at: now) }
      }
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
      catchUp(namespace)
    case .event(let event):
      guard let feed = feeds[namespace], feed.isJoined, event.name == feed.room.event.rawValue else { return }
      deliver([try feed.decode(event.arguments)], in: namespace)
    case .refused(let refusal):
      try await answer(refusal, of: namespace)
    case .disconnected(let reason):
      interrupted(reason.rawValue)
      feeds[namespace]?.isJoined = false
      guard reason == .serverNamespaceDisconnect else { return }
      // The server is shutting down, or this account lost access to the room: asking again shows which.
      try feeds[namespace]?.askAgain(orThrow: .notAllowed(namespace: namespace, message: reason.rawValue))
      await socket?.client.rejoin(namespace, auth: try credentials())
    case .waiting(let failure, _):
      interrupted(failure.description)
    }
  }

  /// Starts reading a room's missed chats, if it can have missed any.
  private mutating func catchUp(_ namespace: String) {
    guard let feed = feeds[namespace] else { return }
    guard feed.mustCatchUp else { return joined(namespace) }
    missed = (namespace, client.historyPages(of: feed.room, after: feed.cursor).makeAsyncIterator())
  }

  /// Delivers the next page of a room's missed chats. Events of the socket wait until all are delivered.
  /// - Returns: False if no room is being caught up.
  private mutating func catchUpFurther() async throws -> Bool {
    guard var reading = missed else { return false }
    missed = nil
    if let page = try await reading.pages.next() {
      deliver(page, in: reading.namespace)
      missed = reading
    } else {
      joined(reading.namespace)
    }
    return true
  }

  private mutating func joined(_ namespace: String) {
    feeds[namespace]?.joined()
    guard !isLive, feeds.values.allSatisfy(\.isJoined) else { return }
    isLive = true
    isInterrupted = false
    failures = 0
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

  /// Reports an interruption once, for all its rooms and attempts.
  private mutating func interrupted(_ reason: String) {
    isLive = false
    if !isInterrupted { waiting.append(.interrupted(reason: reason)) }
    isInterrupted = true
  }
}
