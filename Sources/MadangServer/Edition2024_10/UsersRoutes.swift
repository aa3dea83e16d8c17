import MadangAPI
import MadangCore

extension Edition2024_10 {
  static func addUsers(to routes: inout RouteTable) {
    routes.on(validateEmail) { call in
      try await call.madang.checkEmail(try await call.fields().required(.email))
      return Empty()
    }
    routes.on(signUp) { call in
      let fields = try await call.fields()
      let draft = SignUp(
        email: try fields.required(.email), password: try fields.required(.password),
        nickname: try fields.required(.nickname), phone: try fields.text(.phone),
        deviceToken: try fields.deviceToken())
      return try await call.login(try await call.madang.signUp(draft, edition: call.edition.name))
    }
    routes.on(signIn) { call in
      let fields = try await call.fields()
      return try await call.login(
        try await call.service.signIn(
          email: try fields.required(.email), password: try fields.required(.password),
          deviceToken: try fields.deviceToken(), call))
    }
    routes.on(signOut) { call in
      try await call.madang.signOut(try call.caller)
      return Empty()
    }
    routes.on(setDeviceToken) { call in
      guard let token = try await call.fields().deviceToken() else {
        throw Failure(.invalid, "deviceToken: is missing")
      }
      try await call.madang.setDeviceToken(token, of: try call.caller)
      return Empty()
    }
    routes.on(me) { call in .init(try await call.madang.account(of: try call.caller)) }
    routes.on(editMe) { call in
      let fields = try await call.fields()
      return .init(
        try await call.madang.editAccount(
          of: try call.caller, nickname: try fields.text(.nickname), phone: try fields.text(.phone)))
    }
    routes.on(editPicture) { call in
      guard let image = try await call.fields().image else { throw Failure(.invalid, "image: is missing or empty") }
      return .init(try await call.madang.changePicture(of: try call.caller, to: image))
    }
    routes.on(user) { call in
      .init(try await call.madang.person(call.reference("user"), seenBy: try call.caller))
    }
    routes.on(refresh) { call in Refresh(accessToken: try await call.service.refresh(call)) }
  }
}

extension Call {
  fileprivate func login(_ signedIn: SignedIn) async throws -> Edition2024_10.Login {
    Edition2024_10.Login(
      signedIn, accessToken: try await service.issueToken(session: signedIn.session, edition: edition))
  }
}
