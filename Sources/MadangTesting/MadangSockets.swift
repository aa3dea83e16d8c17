import MadangDevelopment

/// The open sockets of a world. All calls throw ``MadangTestingError``.
public struct MadangSockets: Sendable {
  let sockets: Sockets

  /// The open sockets, the newest first: 1000 at most.
  ///
  /// - Parameters:
  ///   - account: Only those of this account: an e-mail, or the part before its `@`.
  ///   - count: How many to wait for.
  ///   - time: How long to wait, in real time; 60 seconds at most.
  /// - Returns: The open ones; fewer than `count` if the time was over.
  public func list(
    account: String? = nil, count: Int = 1, within time: MadangTime = .zero
  ) async throws -> [MadangSocket] {
    try await MadangTestingError.wording {
      try await sockets.list(
        account: account, of: count, within: try time.duration(of: "within", limit: Journal.maxWait)
      ).map {
        MadangSocket(
          session: $0.session, transport: $0.transport, account: $0.account, namespaces: $0.namespaces,
          waitingBytes: $0.waitingBytes)
      }
    }
  }

  /// Ends all sockets and resets their connections, as a failing network does. Clients may connect again at once.
  /// - Returns: How many were cut.
  @discardableResult
  public func cutAll() async throws -> Int {
    try await MadangTestingError.wording { try await sockets.cut() }
  }

  /// Ends the sockets of an account, as ``cutAll()`` does. Throws if there is no such account.
  /// - Parameter account: An e-mail, or the part before its `@`.
  /// - Returns: How many were cut.
  @discardableResult
  public func cut(account: String) async throws -> Int {
    try await MadangTestingError.wording { try await sockets.cut(account: account) }
  }

  /// Ends one socket, as ``cutAll()`` does. Throws if it is not open.
  /// - Parameter session: Its ``MadangSocket/session``.
  public func cut(session: String) async throws {
    try await MadangTestingError.wording { try await sockets.cut(session: session) }
  }
}

/// An open socket: a session of Engine.IO.
public struct MadangSocket: Equatable, Sendable {
  /// The id of the session, as in ``MadangEntry/session``.
  public let session: String
  /// `polling` or `websocket`.
  public let transport: String
  /// The e-mail of the account; nil before the client has joined a namespace.
  public let account: String?
  /// The namespaces that were joined, in alphabetical order.
  public let namespaces: [String]
  /// Bytes that the client has not received yet.
  public let waitingBytes: Int
}
