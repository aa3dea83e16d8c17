import MadangAPI
import MadangCore
import MadangOperations

/// The administrators of the console, and links that add one.
enum AdministratorCalls {
  private struct Listed: Encodable {
    let number: Int64
    let name: String
    let createdAt: String
    let seenAt: String
    let address: String
    let isYou: Bool
    let passwordAt: String
    let recoveryCodes: Int

    init(_ record: AdministratorRecord, you: AdministratorSession) {
      number = record.number
      name = record.name
      createdAt = WireDate.string(record.createdAt)
      seenAt = WireDate.string(record.seenAt)
      address = record.address
      isYou = record.number == you.account
      passwordAt = WireDate.string(record.passwordAt)
      recoveryCodes = record.recoveryCodes
    }
  }

  private struct All: Encodable {
    let administrators: [Listed]
    let links: [AdministratorLinkSummary]
  }

  static func add(to routes: inout AdminRoutes) {
    routes.on(.get, "administrators") { call in
      let you = try call.signedIn
      return All(
        administrators: try await call.madang.administrators().map { Listed($0, you: you) },
        links: try await call.madang.administratorLinks().map { AdministratorLinkSummary($0) })
    }
    routes.on(.post, "administrators") { call in
      let given = try call.body(AdminSessionCalls.Password.self)
      return NewAdministratorLink(
        try await call.madang.makeAdministratorLink(
          by: try call.signedIn, password: given.password, at: call.address), call.settings)
    }
    routes.on(.delete, "administrators/{number}") { call in
      let given = try call.body(AdminSessionCalls.Password.self)
      try await call.madang.removeAdministrator(
        try call.number(), password: given.password, by: try call.signedIn, at: call.address)
      return Empty()
    }
    routes.on(.delete, "administrators/links/{number}") { call in
      try await call.madang.withdrawAdministratorLink(try call.number(), by: try call.signedIn, at: call.address)
      return Empty()
    }
  }
}
