import HTTPTypes
import MadangAPI
import MadangCore
import MadangOperations

/// Calls of the administrator's console about workspaces and their members.
enum WorkspaceAdminCalls {
  private struct Empty: Decodable {}

  private struct Changed: Encodable {
    let workspace: WorkspaceSummary
  }

  static func add(to routes: inout AdminRoutes) {
    addLooking(to: &routes)
    addSettings(to: &routes)
    addMembers(to: &routes)
  }

  private static func addLooking(to routes: inout AdminRoutes) {
    struct List: Encodable {
      let workspaces: [WorkspaceSummary]
      let next: Int64?
      let total: Int?
    }
    routes.on(.get, "workspaces") { call in
      let (administration, find) = (try call.administration, try call.text("find") ?? "")
      let (after, limit) = (try call.integer("after"), try call.limit())
      let page = try await call.inTurn {
        try await administration.workspaces(matching: find, after: after, limit: limit)
      }
      return List(workspaces: page.elements, next: page.next, total: page.total)
    }

    struct Detail: Encodable {
      let workspace: WorkspaceSummary
      let quota: QuotaSummary
      let defaults: WorkspaceDefaults
    }
    routes.on(.get, "workspaces/{number}") { call in
      let (administration, workspace) = (try call.administration, try call.workspace)
      return Detail(
        workspace: try await administration.workspace(workspace), quota: try await administration.quota(of: workspace),
        defaults: administration.workspaceDefaults)
    }

    struct Members: Encodable {
      let members: [MemberSummary]
      let next: Int64?
    }
    routes.on(.get, "workspaces/{number}/members") { call in
      let page = try await call.administration.members(
        of: try call.workspace, after: try call.integer("after"), limit: try call.limit())
      return Members(members: page.elements, next: page.next)
    }
  }

  private static func addSettings(to routes: inout AdminRoutes) {
    struct Quota: Decodable {
      let channels: Int?
      let members: Int?
      let fileBytes: Int?
    }
    routes.on(.post, "workspaces/{number}/quota") { call in
      let quota = try call.body(Quota.self)
      let (administration, workspace) = (try call.administration, try call.workspace)
      _ = try await administration.setQuota(
        of: workspace, channels: quota.channels, members: quota.members, fileBytes: quota.fileBytes)
      return Changed(workspace: try await administration.workspace(workspace))
    }

    struct Retention: Decodable {
      let chatDays: Int64?
      let fileDays: Int64?
    }
    routes.on(.post, "workspaces/{number}/retention") { call in
      let days = try call.body(Retention.self)
      return Changed(
        workspace: try await call.administration.setRetention(
          of: try call.workspace, chats: days.chatDays, files: days.fileDays))
    }

    for (name, isHeld) in [("hold", true), ("release", false)] {
      routes.on(.post, "workspaces/{number}/\(name)") { call in
        _ = try call.body(Empty.self)
        return Changed(workspace: try await call.administration.setHold(isHeld, of: try call.workspace))
      }
    }

    struct Named: Decodable {
      let name: String
    }
    routes.on(.delete, "workspaces/{number}") { call in
      let typed = try call.body(Named.self).name
      guard typed == (try await call.administration.workspace(try call.workspace).name) else {
        throw AdminRefusal.word("name: does not match the workspace's name")
      }
      _ = try await call.administration.deleteWorkspace(try call.workspace)
      return Done()
    }
  }

  private static func addMembers(to routes: inout AdminRoutes) {
    struct Member: Decodable {
      let email: String
    }
    func change(
      _ name: String,
      _ act: @escaping @Sendable (Administration, String, WorkspaceName) async throws -> WorkspaceSummary
    ) {
      routes.on(.post, "workspaces/{number}/\(name)") { call in
        let email = try call.body(Member.self).email
        do {
          return Changed(workspace: try await act(try call.administration, email, try call.workspace))
        } catch let failure as Failure where failure.code == .duplicate {
          throw AdminRefusal(.conflict, "member", failure.message)
        }
      }
    }
    change("add-member") { try await $0.addMember($1, to: $2) }
    change("remove-member") { try await $0.removeMember($1, from: $2) }
    change("hand-over") { try await $0.handOver($2, to: $1) }
  }
}

extension AdminCall {
  /// The workspace in the path.
  fileprivate var workspace: WorkspaceName { get throws { WorkspaceName(number: try number()) } }
}
