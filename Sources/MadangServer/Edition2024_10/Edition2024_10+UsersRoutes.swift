import MadangAPI
import MadangCore

extension Edition2024_10 {
  static func addUsers(to routes: inout RouteTable) {
    routes.on(validateEmail) { call in
      try await call.validateEmail()
      return Empty()
    }
    routes.on(signUp) { call in try await call.login(try await call.signUp()) }
    routes.on(signIn) { call in try await call.login(try await call.signIn()) }
    routes.on(signInWithApple) { call in try await call.login(try await call.signInWithApple()) }
    routes.on(signInWithKakao) { call in try await call.login(try await call.signInWithKakao()) }
    routes.on(signOut) { call in
      try await call.signOut()
      return Empty()
    }
    routes.on(setDeviceToken) { call in
      try await call.setDeviceToken()
      return Empty()
    }
    routes.on(me) { call in Me(try await call.madang.account(of: try call.principal), call.dates) }
    routes.on(editMe) { call in Me(try await call.editAccount(), call.dates) }
    routes.on(editPicture) { call in Me(try await call.changePicture(), call.dates) }
    routes.on(user) { call in
      Member(try await call.madang.profile(call.reference("user"), seenBy: try call.principal).person)
    }
    routes.on(refresh) { call in Refresh(accessToken: try await call.service.refresh(call)) }
  }
}

extension Call {
  fileprivate func login(_ signedIn: SignedIn) async throws -> Edition2024_10.Login {
    .init(signedIn, accessToken: try await accessToken(for: signedIn), dates)
  }
}
