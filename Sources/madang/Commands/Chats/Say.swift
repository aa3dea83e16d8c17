import ArgumentParser
import Foundation
import MadangAPI
import MadangClient

struct Say: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "say", abstract: "Post text, files or both to a room.",
    usage: "madang say <room> [<text>] [--file <path>] [--join] ...",
    discussion: """
      Only members of a channel can post there: --join joins it first, and so does reading it. If the server's answer is \
      lost, the command looks in the room's history: if the chat was posted, it is shown as usual. Exit status 69 means that it \
      was not posted, 74 that it may have been.
      """)

  @OptionGroup var options: WorkspaceOptions
  @Argument(help: "'#channel' or @nickname-or-email.") var room: String
  @Argument(help: "The text of the chat.") var text: String?
  @Option(
    name: [.short, .customLong("file")], help: ArgumentHelp("A file to attach; may be repeated.", valueName: "path"),
    completion: .file())
  var files: [String] = []

  @Flag(help: "Join the channel first.") var join = false

  func validate() throws {
    if text == nil, files.isEmpty { throw ValidationError("Give a text, a --file, or both.") }
  }

  func run() async throws {
    let uploads = try files.map { try Upload(file: URL(filePath: $0)) }
    try await options.withWorkspace { person, workspace in
      let target = try await person.room(room, in: workspace)
      if join { try await person.join(target.room) }
      let chat: Chat
      do {
        chat = try await UploadBar.following(uploads) { progress in
          try await person.client.postOnce(text ?? "", files: uploads, to: target.room, progress: progress)
        }
      } catch let error as MadangError where error.code == .notFound {
        guard try await person.hasJoined(target.room) else {
          throw Failure(
            "you have not joined \(target.name): post with --join, or read it first with madang history '\(target.name)'"
          )
        }
        throw error
      } catch let error as UnknownOutcome {
        throw Failure("\(error); check with madang history before you post it again", .unknown)
      }
      var printer = ChatPrinter(person.output)
      try printer.show(chat)
    }
  }
}
