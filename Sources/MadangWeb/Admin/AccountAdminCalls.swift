import HTTPTypes
import MadangAPI
import MadangCore
import MadangOperations

/// Calls of the administrator's console about accounts and their sessions.
enum AccountAdminCalls {
  private struct Empty: Decodable {}

  private struct Changed: Encodable {
    let account: AccountSummary
  }

  static func add(to routes: inout AdminRoutes) {
    addLooking(to: &routes)
    addChanges(to: &routes)
  }

  private static func addLooking(to routes: inout AdminRoutes) {
    struct List: Encodable {
      let accounts: [AccountSummary]
      let next: Int64?
      let total: Int?
    }
    routes.on(.get, "accounts") { call in
      let name = try call.text("state")
      let state = name.flatMap(AccountStateName.init)
      guard name == nil || state != nil else {
        let names = AccountStateName.allCases.map(\.rawValue).joined(separator: ", ")
        throw AdminRefusal.refused("state: write one of \(names)")
      }
      let (administration, find) = (try call.administration, try call.text("find") ?? "")
      let (after, limit) = (try call.integer("after"), try call.limit())
      let page = try await call.inTurn {
        try await administration.accounts(matching: find, state: state, after: after, limit: limit)
      }
      return List(accounts: page.elements, next: page.next, total: page.total)
    }
    routes.on(.get, "accounts/{number}") { try await $0.administration.accountDetails(try $0.number()) }
  }

  private static func addChanges(to routes: inout AdminRoutes) {
    func change(
      _ name: String, _ act: @escaping @Sendable (Administration, _ email: String) async throws -> AccountSummary
    ) {
      routes.on(.post, "accounts/{number}/\(name)") { call in
        _ = try call.body(Empty.self)
        return Changed(account: try await act(try call.administration, try await call.accountEmail()))
      }
    }
    change("approve") { try await $0.approve($1) }
    change("reject") { try await $0.reject($1) }
    change("confirm") { try await $0.confirmAddress(of: $1) }
    change("disable") { try await $0.disable($1) }
    change("enable") { try await $0.enable($1) }
    change("reset") { try await $0.sendPasswordReset(to: $1) }

    struct Coins: Decodable {
      let amount: Int
      let note: String
    }
    routes.on(.post, "accounts/{number}/coins") { call in
      let given = try call.body(Coins.self)
      return Changed(
        account: try await call.administration.giveCoins(
          given.amount, to: try await call.accountEmail(), note: given.note))
    }

    struct Ended: Encodable {
      let account: AccountSummary
      let ended: Int
    }
    routes.on(.post, "accounts/{number}/end-sessions") { call in
      _ = try call.body(Empty.self)
      let ended = try await call.administration.endSessions(of: try await call.accountEmail())
      return Ended(account: try await call.administration.account(try call.number()), ended: ended)
    }

    struct Named: Decodable {
      let email: String
    }
    routes.on(.delete, "accounts/{number}") { call in
      let typed = try call.body(Named.self).email
      let email = try await call.accountEmail()
      guard typed == email else { throw AdminRefusal.word("email: does not match the account's address") }
      _ = try await call.administration.deleteAccount(email)
      return Done()
    }

    struct EndedSession: Encodable {
      let ended = 1
    }
    routes.on(.delete, "sessions/{number}") { call in
      try await call.administration.endSession(try call.number())
      return EndedSession()
    }
  }
}

/// `{}`.
struct Done: Encodable {}

extension AdminCall {
  /// The address of the account in the path, by which operations name it.
  fileprivate func accountEmail() async throws -> String {
    try await administration.account(try number()).email
  }
}

extension AdminRefusal {
  /// What an administrator has typed to confirm an action is not the name of its object.
  static func word(_ message: String) -> AdminRefusal { AdminRefusal(.badRequest, "word", message) }

  /// Runs an operation on objects that the administrator has named: if one is missing, the sentence says which.
  static func naming<Success>(_ body: () async throws -> Success) async throws -> Success {
    do { return try await body() } catch let failure as Failure
      where [.notFound, .noSuchUser].contains(failure.code)
    {
      var refusal = refused(failure.message)
      refusal.kind = failure.code.rawValue
      throw refusal
    }
  }
}
