import Hummingbird
import MadangAPI
import MadangCore

extension Edition2024_01 {
  static func addWorkspaces(to routes: inout EditionRoutes) {
    routes.respond(to: workspaces) { call in
      try await call.list(try await call.madang.workspaces(of: try call.principal), Workspace.init)
    }
    routes.on(createWorkspace) { call in Workspace(try await call.createWorkspace(), call.dates) }
    routes.respond(to: workspace) { call in
      try await call.answer(try await call.madang.workspaceDetail(call.workspace, as: try call.principal))
    }
    routes.on(editWorkspace) { call in Workspace(try await call.editWorkspace(), call.dates) }
    routes.on(deleteWorkspace) { call in try await call.madang.deleteWorkspace(call.workspace, as: try call.principal) }
    routes.on(handOverWorkspace) { call in
      let workspace = try await call.madang.handOverWorkspace(
        call.workspace, to: call.reference("user"), as: try call.principal)
      return Workspace(workspace, call.dates)
    }
    routes.respond(to: leaveWorkspace) { call in
      try await call.list(
        try await call.madang.leaveWorkspace(call.workspace, as: try call.principal), Workspace.init)
    }
    routes.respond(to: search) { call in try await call.answer(try await call.search()) }
    routes.on(invite) { call in User(try await call.invite()) }
    routes.respond(to: workspaceMembers) { call in
      try await call.list(
        try await call.madang.members(ofWorkspace: call.workspace, as: try call.principal)
      ) { person, _ in User(person) }
    }
    routes.on(workspaceMember) { call in
      User(try await call.madang.member(call.reference("user"), ofWorkspace: call.workspace, as: try call.principal))
    }
  }
}

extension Call {
  fileprivate func answer(_ detail: WorkspaceDetail) async throws -> Response {
    try await answer(
      try JSONEnvelope(Edition2024_01.WorkspaceDetail(withoutLists: detail.workspace, dates), lists: 2),
      with: [
        pages(detail.channels, Edition2024_01.Channel.init),
        pages(detail.members) { person, _ in Edition2024_01.User(person) },
      ])
  }
}

extension Edition2024_01.Workspace {
  init(_ workspace: MadangCore.Workspace, _ dates: WireDates) {
    self.init(
      workspaceID: workspace.id.number, name: workspace.name, description: workspace.description,
      thumbnail: wirePath(workspace.cover, default: .workspaceCoverImages), ownerID: workspace.owner.number,
      createdAt: dates.label(workspace.createdAt))
  }
}

extension Edition2024_01.WorkspaceDetail {
  /// Leaves channels and members empty, because the answer writes both lists page by page.
  init(withoutLists workspace: MadangCore.Workspace, _ dates: WireDates) {
    let workspace = Edition2024_01.Workspace(workspace, dates)
    self.init(
      workspaceID: workspace.workspaceID, name: workspace.name, description: workspace.description,
      thumbnail: workspace.thumbnail, ownerID: workspace.ownerID, createdAt: workspace.createdAt,
      channels: [], workspaceMembers: [])
  }
}
