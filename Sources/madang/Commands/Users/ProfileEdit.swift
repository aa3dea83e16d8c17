import ArgumentParser
import Foundation
import MadangAPI
import MadangClient

struct ProfileEdit: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "edit", abstract: "Change your nickname, telephone number or picture.",
    usage: "madang profile edit [options]")

  @OptionGroup var connection: ConnectionOptions
  @Option(help: "The name others see, 1 to 30 characters.") var nickname: String?
  @Option(help: "A telephone number; '' clears it.") var phone: String?
  @Option(help: ArgumentHelp("A picture of you.", valueName: "path"), completion: .file()) var image: String?

  func validate() throws {
    if nickname == nil, phone == nil, image == nil {
      throw ValidationError("Give at least one of --nickname, --phone and --image.")
    }
  }

  func run() async throws {
    try await connection.withPerson { person in
      // Read the picture first: if it cannot be read, nothing must change.
      let picture = try image.map { try Upload(file: URL(filePath: $0)) }
      var me: Edition2024_10.Me?
      if nickname != nil || phone != nil { me = try await person.client.editMe(nickname: nickname, phone: phone) }
      if let picture {
        me = try await UploadBar.following(picture) { try await person.client.editPicture(picture, progress: $0) }
      }
      if let me { try person.show(me) }
    }
  }
}
