import MadangAPI
import MadangCore

extension Edition2024_10 {
  static func addWorkspaces(to routes: inout RouteTable) {
    routes.on(workspaces) { call in
      try await call.madang.workspaces(of: try call.caller).map(Workspace.init)
    }
    routes.on(createWorkspace) { call in
      let fields = try await call.fields()
      return .init(
        try await call.madang.createWorkspace(
          name: try fields.required(.name), description: try fields.text(.description), cover: fields.image,
          as: try call.caller))
    }
    routes.on(workspace) { call in
      .init(try await call.madang.workspaceDetail(call.reference("workspace"), as: try call.caller))
    }
    routes.on(editWorkspace) { call in
      let fields = try await call.fields()
      return .init(
        try await call.madang.editWorkspace(
          call.reference("workspace"), name: try fields.text(.name), description: try fields.text(.description),
          cover: fields.image, as: try call.caller))
    }
    routes.on(deleteWorkspace) { call in
      try await call.madang.deleteWorkspace(call.reference("workspace"), as: try call.caller)
      return Empty()
    }
    routes.on(handOverWorkspace) { call in
      let owner = try await call.fields().required(.ownerID)
      return .init(
        try await call.madang.handOverWorkspace(
          call.reference("workspace"), to: call.edition.reference(owner), as: try call.caller))
    }
    routes.on(leaveWorkspace) { call in
      try await call.madang.leaveWorkspace(call.reference("workspace"), as: try call.caller).map(Workspace.init)
    }
    routes.on(search) { call in
      guard let keyword = call.target[Field.keyword.rawValue] else { throw Failure(.invalid, "keyword: is missing") }
      return .init(try await call.madang.search(keyword, in: call.reference("workspace"), as: try call.caller))
    }
    routes.on(invite) { call in
      let email = try await call.fields().required(.email)
      return .init(
        try await call.madang.invite(email: email, to: call.reference("workspace"), as: try call.caller))
    }
    routes.on(workspaceMembers) { call in
      try await call.madang.members(ofWorkspace: call.reference("workspace"), as: try call.caller)
        .map(Member.init)
    }
    routes.on(workspaceMember) { call in
      .init(
        try await call.madang.member(
          call.reference("user"), ofWorkspace: call.reference("workspace"), as: try call.caller))
    }
  }
}
