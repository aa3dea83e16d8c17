import MadangAPI
import MadangCore

// What the editions share of workspaces: they differ in paths and objects only.

extension Call {
  /// The workspace a path names.
  var workspace: Reference { reference("workspace") }

  func createWorkspace() async throws -> Workspace {
    let fields = try await body.fields()
    return try await madang.createWorkspace(
      name: try fields.required(.name), description: try fields.text(.description), cover: fields.image,
      as: try principal)
  }

  func editWorkspace() async throws -> Workspace {
    let fields = try await body.fields()
    return try await madang.editWorkspace(
      workspace, name: try fields.text(.name), description: try fields.text(.description), cover: fields.image,
      as: try principal)
  }

  func invite() async throws -> Person {
    try await madang.invite(email: try await body.fields().required(.email), to: workspace, as: try principal)
  }

  func search() async throws -> WorkspaceDetail {
    guard let keyword = target[Field.keyword.rawValue] else { throw Failure(.invalid, "keyword: is missing") }
    return try await madang.search(keyword, in: workspace, as: try principal)
  }
}
