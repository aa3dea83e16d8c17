import MadangAPI
import MadangCore

extension Edition2024_10 {
  static func addUsers(to routes: inout EditionRoutes) {
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

extension Edition2024_10.Login {
  init(_ signedIn: SignedIn, accessToken: String, _ dates: WireDates) {
    let account = signedIn.account
    let member = Edition2024_10.Member(account.person)
    self.init(
      userID: member.userID, email: member.email, nickname: member.nickname, profileImage: member.profileImage,
      phone: account.phone, provider: account.signInMethod, createdAt: dates.label(account.createdAt),
      token: .init(accessToken: accessToken, refreshToken: signedIn.refreshToken))
  }
}

extension Edition2024_10.Me {
  /// - Parameter call: Of this edition.
  package init(_ account: Account, in call: Call) { self.init(account, call.dates) }

  init(_ account: Account, _ dates: WireDates) {
    let member = Edition2024_10.Member(account.person)
    self.init(
      userID: member.userID, email: member.email, nickname: member.nickname, profileImage: member.profileImage,
      phone: account.phone, provider: account.signInMethod, sesacCoin: account.coins,
      createdAt: dates.label(account.createdAt))
  }
}
