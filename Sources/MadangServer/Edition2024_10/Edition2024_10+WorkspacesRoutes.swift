import Hummingbird
import MadangAPI
import MadangCore

extension Edition2024_10 {
  static func addWorkspaces(to routes: inout EditionRoutes) {
    routes.respond(to: workspaces) { call in
      try await call.list(try await call.madang.workspaces(of: try call.principal), Workspace.init)
    }
    routes.on(createWorkspace) { call in Workspace(try await call.createWorkspace(), call.dates) }
    routes.respond(to: workspace) { call in
      try await call.answer(try await call.madang.workspaceDetail(call.workspace, as: try call.principal))
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
    routes.respond(to: leaveWorkspace) { call in
      try await call.list(
        try await call.madang.leaveWorkspace(call.workspace, as: try call.principal), Workspace.init)
    }
    routes.respond(to: search) { call in try await call.answer(try await call.search()) }
    routes.on(invite) { call in Member(try await call.invite()) }
    routes.respond(to: workspaceMembers) { call in
      try await call.list(
        try await call.madang.members(ofWorkspace: call.workspace, as: try call.principal)
      ) { person, _ in Member(person) }
    }
    routes.on(workspaceMember) { call in
      Member(try await call.madang.member(call.reference("user"), ofWorkspace: call.workspace, as: try call.principal))
    }
  }
}

extension Call {
  fileprivate func answer(_ detail: WorkspaceDetail) async throws -> Response {
    try await answer(
      try JSONEnvelope(Edition2024_10.WorkspaceDetail(withoutLists: detail.workspace, dates), lists: 2),
      with: [
        pages(detail.channels, Edition2024_10.Channel.init),
        pages(detail.members) { person, _ in Edition2024_10.Member(person) },
      ])
  }
}

extension Edition2024_10.Workspace {
  init(_ workspace: MadangCore.Workspace, _ dates: WireDates) {
    self.init(
      workspaceID: workspace.id.uuid, name: workspace.name, description: workspace.description,
      coverImage: wirePath(workspace.cover, default: .workspaceCoverImages), ownerID: workspace.owner.uuid,
      createdAt: dates.label(workspace.createdAt))
  }
}

extension Edition2024_10.WorkspaceDetail {
  /// Leaves channels and members empty, because the answer writes both lists page by page.
  init(withoutLists workspace: MadangCore.Workspace, _ dates: WireDates) {
    let workspace = Edition2024_10.Workspace(workspace, dates)
    self.init(
      workspaceID: workspace.workspaceID, name: workspace.name, description: workspace.description,
      coverImage: workspace.coverImage, ownerID: workspace.ownerID, createdAt: workspace.createdAt,
      channels: [], workspaceMembers: [])
  }
}
