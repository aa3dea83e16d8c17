import ArgumentParser
import Foundation
import MadangClient

/// The fields of a workspace or a channel that can be changed.
struct PlaceFields: ParsableArguments {
  @Option(help: "A new name, 1 to 30 characters.") var name: String?
  @Option(help: "What it is for; '' clears it.") var description: String?
  @OptionGroup var picture: PictureOption

  func validate() throws {
    if name == nil, description == nil, picture.image == nil {
      throw ValidationError("Give at least one of --name, --description and --image.")
    }
  }
}

struct PictureOption: ParsableArguments {
  @Option(help: ArgumentHelp("A picture for it.", valueName: "path"), completion: .file()) var image: String?

  /// - Throws: ``MadangError/file(path:reason:)`` if the file does not exist.
  var upload: Upload? {
    get throws { try image.map { try Upload(file: URL(filePath: $0)) } }
  }
}
