import Hummingbird
import MadangAPI
import MadangCore
import MadangOperations
import MadangServer

/// The calls below `/web`: of a browser's session, and those of the edition.
struct WebCalls: Sendable {
  struct Found {
    let row: EditionOperation
    let parameters: PathParameters
    let needsProof: Bool
    /// Whether it tells which proof belongs to the cookie.
    var describes: Bool { row.route == SessionCalls.describeSignedIn.route }
    var isOfAccount: Bool { row.route.access == .token || row.route.access == .expiredToken }
  }

  /// Calls of this edition that change something although they are GETs.
  private static let changing: Set = [
    Edition2024_10.leaveWorkspace.route, Edition2024_10.leaveChannel.route, Edition2024_10.channelHistory.route,
    Edition2024_10.signOut.route,
  ]
  private static let histories: Set = [
    Edition2024_10.channelHistory.route, Edition2024_10.directMessageHistory.route,
  ]
  private static let posts: Set = [
    Edition2024_10.postToChannel.route, Edition2024_10.postToDirectMessage.route,
  ]

  /// Of a browser without a session.
  private let open: EditionRoutes
  /// Of a browser's session. Both have the path of the session.
  private let signedIn: EditionRoutes
  private let once = OncePosts()

  init(_ settings: ServerSettings, _ cookie: WebCookie) {
    let sessions = SessionCalls(cookie: cookie, settings: settings)
    open = EditionRoutes(WebChat.edition) { sessions.addOpen(to: &$0) }
    signedIn = EditionRoutes(WebChat.edition) { routes in
      sessions.addSignedIn(to: &routes)
      UnreadCalls.add(to: &routes)
    }
  }

  /// The call at a path. Nil if there is none.
  func find(_ received: ReceivedRequest, _ session: PageSession?) -> Found? {
    let (path, method) = (received.target.segments, received.request.method)
    if let call = WebChat.editionPath(path) {
      // Calls with tokens of their own, such as signing in, would hand tokens to scripts.
      guard let found = received.operation(of: WebChat.edition, at: call) else { return nil }
      let route = found.row.route
      guard route.access == .token || route.access == .expiredToken else { return nil }
      let needsProof = method != .get && method != .head || Self.changing.contains(route)
      return Found(row: around(found.row, received, session), parameters: found.parameters, needsProof: needsProof)
    }
    let tables = session == nil ? [open, signedIn] : [signedIn, open]
    guard let (row, parameters) = tables.lazy.compactMap({ $0.find(method.rawValue, path) }).first else { return nil }
    return Found(
      row: session.map { Self.replacing($0, by: row) } ?? row, parameters: parameters, needsProof: method != .get)
  }

  /// A sign-in or sign-up ends the session that the browser had.
  private static func replacing(_ former: PageSession, by row: EditionOperation) -> EditionOperation {
    guard row.route == SessionCalls.signIn.route || row.route == SessionCalls.signUp.route else { return row }
    return row.around { call, handler in
      let response = try await handler(call)
      try? await call.madang.signOut(
        Principal(session: former.id, edition: WebChat.edition.rawValue), from: call.origin)
      return response
    }
  }

  /// What pages need beside the edition: posts that are sent twice, and parts of histories.
  private func around(
    _ row: EditionOperation, _ received: ReceivedRequest, _ session: PageSession?
  ) -> EditionOperation {
    if Self.posts.contains(row.route), let key = received.request.headers[.once], let session {
      return once.around(row, key, of: session.user)
    }
    let target = received.target
    guard Self.histories.contains(row.route), target["before"] != nil || target["limit"] != nil else { return row }
    return row.around { call, handler in
      var call = call
      let limit = target["limit"].map { Int($0) ?? 0 }
      guard limit.map({ $0 > 0 }) ?? true else { throw Failure(.invalid, "limit: write a number from 1") }
      call.historyEnd = HistoryEnd(before: try call.moment(target["before"] ?? ""), limit: limit)
      return try await handler(call)
    }
  }
}
