import ArgumentParser
import Foundation
import NIOCore

struct DevSeedExport: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "export", abstract: "Write the data of a server as a seed.",
    usage: "madang dev seed export [--world <id>] [--output <file>] [options]",
    discussion: "Passwords cannot be read: all people of the seed get the usual one.")

  @OptionGroup var options: DevelopmentOptions
  @Option(name: .shortAndLong, help: ArgumentHelp("Write to this file; else to standard output.", valueName: "file"))
  var output: String?
  @Option(help: "yaml or json.") var format = "yaml"
  @Option(help: "The seed's name.") var name: String?

  func validate() throws {
    guard ["yaml", "json"].contains(format) else { throw ValidationError("--format must be yaml or json.") }
  }

  func run() async throws {
    let query = [("format", Optional(format)), ("name", name)]
    guard let output else {
      return try await options.server.call(.get, options.path("seed"), query: query) {
        try Terminal.data($0.readableBytesView)
      }
    }
    // Read the whole seed first, so that an existing file is replaced only if it is complete.
    let bytes = try await options.server.call(.get, options.path("seed"), query: query)
    do { try bytes.write(to: URL(filePath: output), options: .atomic) } catch {
      throw Failure("\(output) cannot be written: \(FileProblem.words(of: error))")
    }
  }
}
