import Hummingbird
import MadangAPI
import MadangCore
import MadangServer

/// Signing in and out, setting up by a link, and an administrator's own sign-in.
enum AdminSessionCalls {
  private struct Credentials: Decodable {
    let name: String
    let password: String
    let code: String
  }

  private struct LinkToken: Decodable {
    let token: String
  }

  private struct Setup: Decodable {
    let token: String
    let name: String
    let password: String
    let code: String
  }

  private struct Wanted: Decodable {
    let token: String
    let name: String
    let password: String
  }

  private struct OpenedLink: Encodable {
    let secret: String
    let first: Bool
    let proof: String
  }

  private struct NewPassword: Decodable {
    let password: String
    let next: String
  }

  struct Password: Decodable {
    let password: String
  }

  private struct Code: Decodable {
    let code: String
  }

  private struct Secret: Encodable {
    let secret: String
  }

  private struct RecoveryCodes: Encodable {
    let recoveryCodes: [String]
  }

  static func add(to routes: inout AdminRoutes) {
    addSession(to: &routes)
    addSetup(to: &routes)
    addOwn(to: &routes)
  }

  private static func addSession(to routes: inout AdminRoutes) {
    routes.respond(.get, "session", open: true) { call in
      // Without a cookie the page gets one for the proof before the sign-in.
      guard let token = call.token else {
        let token = WebCookie.random(call.madang.ids)
        return try call.answer(AdminSessionDescription(nil, token: token, of: call), newToken: token)
      }
      return .json(try WireEncoder.encode(AdminSessionDescription(call.session, token: token, of: call)))
    }
    routes.respond(.post, "session", open: true) { call in
      let given = try call.body(Credentials.self)
      let signIn = try await signIn(given, call)
      try await endFormer(call)
      return try call.answer(
        AdminSessionDescription(signIn.session, token: signIn.token, of: call), newToken: signIn.token)
    }
    routes.respond(.delete, "session") { call in
      try await call.madang.signOut(try call.signedIn)
      return call.answerWithoutToken()
    }
  }

  private static func signIn(_ given: Credentials, _ call: AdminCall) async throws -> AdministratorSignIn {
    do {
      return try await call.madang.signIn(
        administrator: given.name, password: given.password, code: given.code, from: call.address)
    } catch let refusal as AdministratorRefusal {
      call.received.logRefusedSignIn()
      throw refusal
    }
  }

  private static func addSetup(to routes: inout AdminRoutes) {
    routes.on(.post, "setup/open", open: true) { call in
      let opened = try await call.madang.openAdministratorLink(
        token: try call.body(LinkToken.self).token, from: call.address)
      return OpenedLink(secret: opened.secret, first: opened.isFirst, proof: call.proof(of: call.token ?? ""))
    }
    // Before the authenticator app gets the secret, which it would keep under a name that is refused.
    routes.on(.post, "setup/check", open: true) { call in
      let wanted = try call.body(Wanted.self)
      try await call.madang.checkAdministrator(
        token: wanted.token, name: wanted.name, password: wanted.password, from: call.address)
      return Empty()
    }
    routes.respond(.post, "setup", open: true) { call in
      let given = try call.body(Setup.self)
      let added = try await call.madang.addAdministrator(
        token: given.token, name: given.name, password: given.password, code: given.code, from: call.address)
      try await endFormer(call)
      let (session, token) = (added.signIn.session, added.signIn.token)
      let description = AdminSetupDescription(
        AdminSessionDescription(session, token: token, of: call), recoveryCodes: added.recoveryCodes)
      return try call.answer(description, newToken: token)
    }
  }

  private static func addOwn(to routes: inout AdminRoutes) {
    routes.on(.put, "me/password") { call in
      let given = try call.body(NewPassword.self)
      try await call.madang.changePassword(
        of: try call.signedIn, from: given.password, to: given.next, at: call.address)
      return Empty()
    }
    routes.on(.post, "me/totp") { call in
      let given = try call.body(Password.self)
      return Secret(
        secret: try await call.madang.beginSecondStep(
          of: try call.signedIn, password: given.password, at: call.address))
    }
    routes.on(.put, "me/totp") { call in
      let given = try call.body(Code.self)
      return RecoveryCodes(
        recoveryCodes: try await call.madang.finishSecondStep(
          of: try call.signedIn, code: given.code, at: call.address))
    }
  }

  /// A browser has one session: a new one ends the former.
  private static func endFormer(_ call: AdminCall) async throws {
    if let former = call.session { try await call.madang.signOut(former) }
  }
}
