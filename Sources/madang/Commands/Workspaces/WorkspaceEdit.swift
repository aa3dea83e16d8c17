import ArgumentParser
import MadangAPI
import MadangClient

struct WorkspaceEdit: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "edit", abstract: "Change the name, description or picture of a workspace you own.",
    usage: "madang workspace edit [options]")

  @OptionGroup var connection: ConnectionOptions
  @OptionGroup var place: WorkspaceOption
  @OptionGroup var fields: PlaceFields

  func run() async throws {
    try await connection.withPerson { person in
      let picture = try fields.picture.upload
      let id = try await person.workspace(place.workspace).workspaceID
      let edited = try await UploadBar.following(picture) { progress in
        try await person.client.editWorkspace(
          id, name: fields.name, description: fields.description, picture: picture, progress: progress)
      }
      try person.show(edited)
    }
  }
}
