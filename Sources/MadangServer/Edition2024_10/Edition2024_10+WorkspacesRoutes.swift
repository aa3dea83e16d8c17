import MadangAPI
import MadangCore

extension Edition2024_10 {
  static func addWorkspaces(to routes: inout RouteTable) {
    routes.on(workspaces) { call in
      try await call.madang.workspaces(of: try call.principal).map { Workspace($0, call.dates) }
    }
    routes.on(createWorkspace) { call in Workspace(try await call.createWorkspace(), call.dates) }
    routes.on(workspace) { call in
      WorkspaceDetail(try await call.madang.workspaceDetail(call.workspace, as: try call.principal), call.dates)
    }
    routes.on(editWorkspace) { call in Workspace(try await call.editWorkspace(), call.dates) }
    routes.on(deleteWorkspace) { call in
      try await call.madang.deleteWorkspace(call.workspace, as: try call.principal)
      return Empty()
    }
    routes.on(handOverWorkspace) { call in
      let owner = try await call.body.fields().required(.ownerID)
      let workspace = try await call.madang.handOverWorkspace(
        call.workspace, to: call.edition.reference(owner), as: try call.principal)
      return Workspace(workspace, call.dates)
    }
    routes.on(leaveWorkspace) { call in
      try await call.madang.leaveWorkspace(call.workspace, as: try call.principal).map { Workspace($0, call.dates) }
    }
    routes.on(search) { call in WorkspaceDetail(try await call.search(), call.dates) }
    routes.on(invite) { call in Member(try await call.invite()) }
    routes.on(workspaceMembers) { call in
      try await call.madang.members(ofWorkspace: call.workspace, as: try call.principal).map(Member.init)
    }
    routes.on(workspaceMember) { call in
      Member(try await call.madang.member(call.reference("user"), ofWorkspace: call.workspace, as: try call.principal))
    }
  }
}
