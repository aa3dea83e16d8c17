import ArgumentParser
import MadangAPI
import MadangClient

struct WorkspaceEdit: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "edit", abstract: "Change the name, description or picture of a workspace you own.",
    usage: "madang workspace edit [options]")

  @OptionGroup var options: WorkspaceOptions
  @OptionGroup var fields: PlaceFields

  func run() async throws {
    let picture = try fields.picture.upload
    try await options.withWorkspace { person, workspace in
      let edited = try await UploadBar.following(picture) { progress in
        try await person.client.editWorkspace(
          workspace.workspaceID, name: fields.name, description: fields.description, picture: picture,
          progress: progress)
      }
      try person.show(edited)
    }
  }
}
