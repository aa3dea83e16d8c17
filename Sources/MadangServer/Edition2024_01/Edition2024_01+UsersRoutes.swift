import MadangAPI
import MadangCore

extension Edition2024_01 {
  static func addUsers(to routes: inout EditionRoutes) {
    routes.on(validateEmail) { call in try await call.validateEmail() }
    routes.on(signUp) { call in try await call.nested(try await call.signUp()) }
    routes.on(signIn) { call in
      let signedIn = try await call.signIn()
      return FlatLogin(signedIn, accessToken: try await call.accessToken(for: signedIn))
    }
    routes.on(signInNested) { call in try await call.nested(try await call.signIn()) }
    routes.on(signInWithApple) { call in try await call.nested(try await call.signInWithApple()) }
    routes.on(signInWithKakao) { call in try await call.nested(try await call.signInWithKakao()) }
    routes.on(signOut) { call in try await call.signOut() }
    routes.on(setDeviceToken) { call in try await call.setDeviceToken() }
    routes.on(me) { call in MyProfile(try await call.madang.account(of: try call.principal), call.dates) }
    routes.on(editMe) { call in MyProfile(try await call.editAccount(), call.dates) }
    routes.on(editPicture) { call in MyProfile(try await call.changePicture(), call.dates) }
    routes.on(user) { call in
      UserDetail(try await call.madang.profile(call.reference("user"), seenBy: try call.principal), call.dates)
    }
    routes.on(refresh) { call in Refresh(accessToken: try await call.service.refresh(call)) }
  }
}

extension Call {
  fileprivate func nested(_ signedIn: SignedIn) async throws -> Edition2024_01.UserWithToken {
    .init(signedIn, accessToken: try await accessToken(for: signedIn), dates)
  }
}

extension Edition2024_01.UserDetail {
  init(_ profile: Profile, _ dates: WireDates) {
    let user = Edition2024_01.User(profile.person)
    self.init(
      userID: user.userID, email: user.email, nickname: user.nickname, profileImage: user.profileImage,
      createdAt: dates.label(profile.createdAt))
  }
}

extension Edition2024_01.FlatLogin {
  init(_ signedIn: SignedIn, accessToken: String) {
    let person = signedIn.account.person
    self.init(
      userID: person.id.number, nickname: person.nickname, accessToken: accessToken,
      refreshToken: signedIn.refreshToken)
  }
}

extension Edition2024_01.UserWithToken {
  init(_ signedIn: SignedIn, accessToken: String, _ dates: WireDates) {
    let account = signedIn.account
    let user = Edition2024_01.User(account.person)
    self.init(
      userID: user.userID, email: user.email, nickname: user.nickname, profileImage: user.profileImage,
      phone: account.phone, vendor: account.signInMethod, createdAt: dates.label(account.createdAt),
      token: .init(accessToken: accessToken, refreshToken: signedIn.refreshToken))
  }
}

extension Edition2024_01.MyProfile {
  init(_ account: Account, _ dates: WireDates) {
    let user = Edition2024_01.User(account.person)
    self.init(
      userID: user.userID, email: user.email, nickname: user.nickname, profileImage: user.profileImage,
      phone: account.phone, vendor: account.signInMethod, sesacCoin: account.coins,
      createdAt: dates.label(account.createdAt))
  }
}
