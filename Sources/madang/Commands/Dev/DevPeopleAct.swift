import ArgumentParser
import Foundation
import MadangDevelopment

struct DevPeopleAct: AsyncParsableCommand {
  enum Act: String, ExpressibleByArgument, CaseIterable {
    case post, join, leave
  }

  static let configuration = CommandConfiguration(
    commandName: "act", abstract: "Let a person post, join or leave, without signing in.",
    usage: """
      madang dev people act <who> post <text> --in <place> [options]
      madang dev people act <who> post <text> --to <person> [options]
      madang dev people act <who> join --in <place> [options]
      madang dev people act <who> leave --in <place> [options]
      """,
    discussion: "A place is a workspace such as Weekend, or a channel such as Weekend/ios.")

  @OptionGroup var options: DevelopmentOptions
  @OptionGroup var printing: JSONOption
  @Argument(help: "An e-mail, or what is before its @.") var who: String
  @Argument(help: "post, join or leave.") var act: Act
  @Argument(help: "The text of a chat.") var text: String?
  @Option(name: .customLong("in"), help: ArgumentHelp("Where.", valueName: "place")) var place: String?
  @Option(help: ArgumentHelp("To whom, for a direct message.", valueName: "person")) var to: String?
  @Option(help: "The number of generated pictures to post.") var files: Int?

  func validate() throws {
    switch act {
    case .post:
      if place == nil && to == nil { throw ValidationError("Give --in PLACE, or --to PERSON for a direct message.") }
      if text == nil && files == nil { throw ValidationError("Write the text, or give --files.") }
    case .join, .leave:
      if place == nil || to != nil || text != nil || files != nil {
        throw ValidationError("Give --in PLACE, and nothing else.")
      }
    }
  }

  private struct Body: Encodable {
    let place: String?
    let to: String?
    let text: String?
    let files: Int?

    enum CodingKeys: String, CodingKey {
      case to, text, files
      case place = "in"
    }
  }

  private struct Written: Decodable {
    let content: String
    let createdAt: String
  }

  func run() async throws {
    let body = try DevelopmentJSON.encode(Body(place: place, to: to, text: text, files: files))
    let answer = try await options.server.call(.post, options.path("people", who, act.rawValue), body: body)
    let output = printing.output
    switch act {
    case .post:
      if output.json { return try Terminal.data(answer + [UInt8(ascii: "\n")]) }
      let chat = try? JSONDecoder().decode(Written.self, from: answer)
      try output.object(["": ""], [("posted", chat?.content ?? ""), ("at", chat?.createdAt ?? "")])
    case .join: try output.development(["joined": place ?? ""], [("joined", place ?? "")])
    case .leave: try output.development(["left": place ?? ""], [("left", place ?? "")])
    }
  }
}
