import MadangAPI
import MadangCore

extension RouteTable {
  mutating func addUsers() {
    on(Wire.validateEmail) { call in
      try await call.madang.checkEmail(try await call.fields().required(.email))
      return Empty()
    }
    on(Wire.signUp) { call in
      let fields = try await call.fields()
      let draft = SignUp(
        email: try fields.required(.email), password: try fields.required(.password),
        nickname: try fields.required(.nickname), phone: try fields.text(.phone),
        deviceToken: try fields.deviceToken())
      return try await call.login(try await call.madang.signUp(draft, edition: call.edition.name))
    }
    on(Wire.signIn) { call in
      let fields = try await call.fields()
      return try await call.login(
        try await call.service.signIn(
          email: try fields.required(.email), password: try fields.required(.password),
          deviceToken: try fields.deviceToken(), call))
    }
    on(Wire.signOut) { call in
      try await call.madang.signOut(try call.caller)
      return Empty()
    }
    on(Wire.me) { call in .init(try await call.madang.account(of: try call.caller)) }
    on(Wire.editMe) { call in
      let fields = try await call.fields()
      return .init(
        try await call.madang.editAccount(
          of: try call.caller, nickname: try fields.text(.nickname), phone: try fields.text(.phone)))
    }
    on(Wire.editPicture) { call in
      guard let image = try await call.fields().image else { throw Failure(.invalid, "image: is missing or empty") }
      return .init(try await call.madang.changePicture(of: try call.caller, to: image))
    }
    on(Wire.user) { call in
      .init(try await call.madang.person(call.reference("user"), seenBy: try call.caller))
    }
    on(Wire.refresh) { call in Wire.Refresh(accessToken: try await call.service.refresh(call)) }
  }
}

extension Call {
  fileprivate func login(_ signedIn: SignedIn) async throws -> Wire.Login {
    Wire.Login(
      signedIn, accessToken: try await service.issueToken(session: signedIn.session, edition: edition))
  }
}
