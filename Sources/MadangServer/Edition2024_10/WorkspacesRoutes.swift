import MadangAPI
import MadangCore

extension RouteTable {
  mutating func addWorkspaces() {
    on(Wire.workspaces) { call in
      try await call.madang.workspaces(of: try call.caller).map(Wire.Workspace.init)
    }
    on(Wire.createWorkspace) { call in
      let fields = try await call.fields()
      return .init(
        try await call.madang.createWorkspace(
          name: try fields.required(.name), description: try fields.text(.description), cover: fields.image,
          as: try call.caller))
    }
    on(Wire.workspace) { call in
      .init(try await call.madang.workspaceDetail(call.reference("workspace"), as: try call.caller))
    }
    on(Wire.invite) { call in
      let email = try await call.fields().required(.email)
      return .init(
        try await call.madang.invite(email: email, to: call.reference("workspace"), as: try call.caller))
    }
    on(Wire.workspaceMembers) { call in
      try await call.madang.members(ofWorkspace: call.reference("workspace"), as: try call.caller)
        .map(Wire.Member.init)
    }
  }
}
