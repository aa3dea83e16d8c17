import ArgumentParser
import Foundation
import MadangAPI
import MadangClient
import NIOCore

struct FileGet: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "get", abstract: "Download a file, to standard output or to disk.",
    usage: "madang file get <path> [--output <file>] [options]")

  @OptionGroup var connection: ConnectionOptions
  @Argument(help: "The path of the file in chats, /static/<folder>/<name>.") var path: String
  @Option(name: .shortAndLong, help: ArgumentHelp("Write to this file.", valueName: "file")) var output: String?

  func validate() throws {
    if output == nil, connection.json {
      throw ValidationError("--json needs --output, because the file itself is not JSON.")
    }
    if output == nil, isatty(STDOUT_FILENO) == 1 {
      throw ValidationError("Files are not printed on a terminal: give --output FILE, or redirect the output.")
    }
  }

  func run() async throws {
    try await connection.withPerson { person in
      guard let output else {
        return try await person.client.download(path) { try Terminal.data($0.readableBytesView) }
      }
      let size = try await person.client.download(path, to: URL(filePath: output))
      try person.output.object(
        Downloaded(path: path, file: output, size: size), [("file", output), ("bytes", String(size))])
    }
  }

  private struct Downloaded: Encodable {
    let path: String
    let file: String
    let size: Int
  }
}
