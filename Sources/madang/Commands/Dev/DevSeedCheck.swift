import ArgumentParser
import Foundation
import MadangDevelopment

struct DevSeedCheck: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "check", abstract: "Check a seed, without a server.",
    usage: "madang dev seed check <file> [--json]",
    discussion: "A mistake is shown with its line and its cure; the exit status is then 1.")

  @OptionGroup var printing: JSONOption
  @Argument(help: "A seed in YAML or JSON; - for standard input.", completion: .file()) var file: String

  func run() async throws {
    if Seed.Shipped(rawValue: file) != nil, !FileManager.default.fileExists(atPath: file) {
      throw Failure("\(file) is a built-in seed, not a file: 'madang dev worlds make --seed \(file)'")
    }
    let contents: Seed.Contents
    do { contents = try SeedFile.read(try textOfInput(file), from: file).contents() } catch let error as SeedError {
      throw Failure("\(file): \(error)")
    }
    try printing.output.development(
      contents,
      [
        ("name", contents.name), ("people", "\(contents.people)"), ("workspaces", "\(contents.workspaces)"),
        ("channels", "\(contents.channels)"), ("chats", "\(contents.chats)"), ("scripts", "\(contents.scripts)"),
      ])
  }
}
