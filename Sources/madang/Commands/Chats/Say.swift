import ArgumentParser
import Foundation
import MadangAPI
import MadangClient

struct Say: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "say", abstract: "Post text, files or both to a room.",
    usage: "madang say <room> [<text>] [--file <path>] ...")

  @OptionGroup var connection: ConnectionOptions
  @OptionGroup var place: WorkspaceOption
  @Argument(help: "'#channel' or @nickname-or-email.") var room: String
  @Argument(help: "What to say.") var text: String?
  @Option(
    name: [.short, .customLong("file")], help: ArgumentHelp("A file to attach; may be repeated.", valueName: "path"),
    completion: .file())
  var files: [String] = []

  func validate() throws {
    if text == nil, files.isEmpty { throw ValidationError("Give a text, a --file, or both.") }
  }

  func run() async throws {
    try await connection.withPerson { person in
      let uploads = try files.map { try Upload(file: URL(filePath: $0)) }
      let target = try await person.room(room, in: try await person.workspace(place.workspace))
      let chat = try await UploadBar.following(uploads) { progress in
        try await person.client.post(text ?? "", files: uploads, to: target.room, progress: progress)
      }
      var printer = ChatPrinter(person.output)
      try printer.show(chat)
    }
  }
}
