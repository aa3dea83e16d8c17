import Hummingbird
import MadangAPI
import MadangCore
import MadangOperations
import MadangServer
import NIOCore

/// Signing in and out in a browser. The session is an ordinary one of the account.
struct SessionCalls: Sendable {
  static let describe = Endpoint<SessionDescription>(.get, "/web/session", .publicKey)
  static let describeSignedIn = Endpoint<SessionDescription>(.get, "/web/session", .token)
  static let signIn = Endpoint<SessionDescription>(.post, "/web/session", .publicKey)
  static let signUp = Endpoint<SessionDescription>(.post, "/web/accounts", .publicKey)
  static let forget = Endpoint<Empty>(.delete, "/web/session", .publicKey)
  static let signOut = Endpoint<Empty>(.delete, "/web/session", .token)
  static let signOutEverywhere = Endpoint<Empty>(.delete, "/web/sessions", .token)
  static let requestPassword = Endpoint<Empty>(.post, "/web/password-resets", .publicKey)

  let cookie: WebCookie
  let settings: ServerSettings

  /// Adds the calls of a browser without a session.
  func addOpen(to routes: inout EditionRoutes) {
    routes.respond(to: Self.describe) { call in
      let shown = cookie.value(in: call.request.headers, isSecure: call.isSecure).flatMap {
        WebCookie.isRandom($0) ? $0 : nil
      }
      let value = shown ?? WebCookie.random(call.madang.ids)
      var response = try description(nil, value, call)
      if shown == nil { cookie.set(value, in: &response, isSecure: call.isSecure) }
      return response
    }
    routes.respond(to: Self.signIn) { call in try await begin(try await call.signIn(), call) }
    routes.respond(to: Self.signUp) { call in
      guard settings.pageSignUp != .off else { throw Failure(.notAdmitted, "sign-up on pages is off (web.signup)") }
      let signedIn = try await signUp(call)
      guard let waits = try await call.madang.waits(signedIn.account) else { return try await begin(signedIn, call) }
      // Until then the account is of little use: its owner signs in later.
      try await call.madang.signOut(
        Principal(session: signedIn.session, edition: WebChat.edition.rawValue), from: call.origin)
      let value = WebCookie.random(call.madang.ids)
      var response = try description(nil, value, call, waits: waits)
      cookie.set(value, in: &response, isSecure: call.isSecure)
      return response
    }
    routes.respond(to: Self.forget) { call in removing(call) }
    routes.on(Self.requestPassword) { call in
      try await call.requestPasswordLink()
      return Empty()
    }
  }

  /// Adds the calls of a browser's session.
  func addSignedIn(to routes: inout EditionRoutes) {
    routes.respond(to: Self.describeSignedIn) { call in
      let account = try await call.madang.account(of: try call.principal)
      try await call.noteUse()
      return try description(account, cookie.value(in: call.request.headers, isSecure: call.isSecure) ?? "", call)
    }
    routes.respond(to: Self.signOut) { call in
      try await call.signOut()
      return removing(call)
    }
    routes.respond(to: Self.signOutEverywhere) { call in
      try await call.signOutEverywhere()
      return removing(call)
    }
  }

  private func signUp(_ call: Call) async throws -> SignedIn {
    var origin = call.origin
    origin.needsInvitation = settings.pageSignUp == .invitation
    let needsCode = origin.needsInvitation || settings.registration.mode != .open
    return try await call.signUp(from: origin) { fields, origin in
      guard let code = try fields.text("invitation"), !code.isEmpty else { return }
      do {
        try await call.madang.accept(code: code, email: try fields.required(.email), from: origin.address)
        origin.invitation = code
      } catch let failure as Failure where failure.code == .notFound {
        // All may sign up, also with an old link.
        guard needsCode else { return }
        throw Failure(.notAdmitted, "invitation: \(failure.message)")
      }
    }
  }

  /// The browser has a new session, with a cookie of its own.
  private func begin(_ signedIn: SignedIn, _ call: Call) async throws -> Response {
    call.begin(signedIn)
    let principal = Principal(session: signedIn.session, edition: WebChat.edition.rawValue)
    // Read again: a new account has got its coins since.
    let account = try await call.madang.account(of: principal)
    var response = try description(account, signedIn.refreshToken, call)
    cookie.set(signedIn.refreshToken, in: &response, isSecure: call.isSecure)
    return response
  }

  private func removing(_ call: Call) -> Response {
    var response = Response.json(Array("{}".utf8))
    // Another person may use this browser next.
    response.headers[.clearSiteData] = "\"cache\""
    cookie.remove(from: &response, isSecure: call.isSecure)
    return response
  }

  /// - Parameter value: The cookie's.
  private func description(
    _ account: Account?, _ value: String, _ call: Call, waits: Waiting? = nil
  ) throws -> Response {
    let madang = call.madang
    return .json(
      try WireEncoder.encode(
        SessionDescription(
          account: account.map { .init($0, in: call) }, waits: waits?.rawValue, proof: cookie.proof(of: value),
          now: call.label(madang.clock.now),
          server: .init(
            name: settings.face.name, colour: nil, signup: settings.pageSignUp.rawValue, mail: call.mailsLinks,
            edition: WebChat.edition.rawValue, coins: .init(workspace: madang.setting(\.coins.workspace)),
            limits: .init(
              files: madang.setting(\.files.perChat), fileSize: madang.setting(\.files.maxSize),
              content: madang.setting(\.maxContentLength))))))
  }
}
