import MadangAPI
import MadangCore
import MadangOperations

/// Calls of the administrator's console about invitations and API keys.
enum AdmissionAdminCalls {
  static func add(to routes: inout AdminRoutes) {
    addInvitations(to: &routes)
    addKeys(to: &routes)
  }

  private static func addInvitations(to routes: inout AdminRoutes) {
    struct List: Encodable {
      let invitations: [InvitationSummary]
      let next: Int64?
      let total: Int?
    }
    routes.on(.get, "invitations") { call in
      let state = try call.text("state")
      guard state == nil || state == "open" else { throw AdminRefusal.refused("state: write open, or leave it out") }
      let page = try await call.administration.invitations(
        isOpen: state != nil, after: try call.integer("after"), limit: try call.limit())
      return List(invitations: page.elements, next: page.next, total: page.total)
    }

    struct Changed: Encodable {
      let invitation: InvitationSummary
    }
    struct New: Decodable {
      let email: String?
      let uses: Int?
      let days: Int
      let workspace: String?
      let from: String?
      let mail: Bool?
    }
    routes.on(.post, "invitations") { call in
      let new = try call.body(New.self)
      let administration = try call.administration
      let workspace = new.workspace.map { WorkspaceName($0) }
      switch (new.email, new.uses) {
      case (let email?, nil):
        return Changed(
          invitation: try await administration.invite(
            email, days: new.days, to: workspace, from: new.from, sendsMail: new.mail ?? false))
      case (nil, let uses?):
        guard new.mail != true else { throw AdminRefusal.refused("mail: a code belongs to no address") }
        return Changed(
          invitation: try await administration.inviteByCode(uses: uses, days: new.days, to: workspace, from: new.from))
      default: throw AdminRefusal.refused("an invitation needs email, or uses for a code")
      }
    }
    routes.on(.delete, "invitations/{number}") { call in
      Changed(invitation: try await call.administration.revokeInvitation(try call.number()))
    }
  }

  private static func addKeys(to routes: inout AdminRoutes) {
    struct List: Encodable {
      let keys: [KeySummary]
    }
    routes.on(.get, "keys") { List(keys: try await $0.administration.keys()) }

    struct Changed: Encodable {
      let key: KeySummary
    }
    struct New: Decodable {
      let label: String
      let edition: String
      let registration: String?
      let approval: String?
    }
    routes.on(.post, "keys") { call in
      let new = try call.body(New.self)
      let approval = try new.approval.map { try value($0, of: "approval") as Approval }
      return Changed(
        key: try await call.administration.createKey(
          try value(new.edition, of: "edition"), label: new.label,
          registration: try new.registration.map { try value($0, of: "registration") },
          needsApproval: approval.map { $0 == .on }))
    }
    routes.on(.delete, "keys/{number}") { call in
      Changed(key: try await call.administration.revokeKey(try call.number()))
    }
  }

  private static func value<Value: RawRepresentable<String> & CaseIterable>(_ text: String, of key: String) throws
    -> Value
  {
    guard let value = Value(rawValue: text) else {
      let names = Value.allCases.map(\.rawValue).joined(separator: ", ")
      throw AdminRefusal.refused("\(key): write one of \(names)")
    }
    return value
  }
}
