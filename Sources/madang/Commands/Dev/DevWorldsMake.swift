import ArgumentParser
import Foundation
import MadangDevelopment

struct DevWorldsMake: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "make", abstract: "Make a world; it accepts connections when this ends.",
    usage: "madang dev worlds make [--seed <seed>] [--number <number>] [options]")

  @OptionGroup var server: DevelopmentServerOptions
  @OptionGroup var printing: JSONOption
  @Option(help: "Its initial data: empty, courtyard, crowded, edge, or a file.", completion: .file()) var seed = "empty"
  @Option(help: "Its name.") var name: String?
  @Option(help: "With a number, ids and dates are the same each time.") var number: UInt64?
  @Option(help: "Its port (default: a free one).") var port: Int?

  private struct NewWorld: Encodable {
    let seed: String
    let name: String?
    let number: UInt64?
    let port: Int?
  }

  private var unknownSeed: Failure {
    let shipped = Seed.Shipped.allCases.map(\.rawValue)
    let guess = Spelling.nearest(to: seed, among: shipped).map { "; did you mean \($0)?" } ?? ""
    return Failure(
      "--seed: '\(seed)' is neither one of \(shipped.joined(separator: ", ")), nor the path of a file\(guess)")
  }

  func run() async throws {
    var text = seed
    if Seed.Shipped(rawValue: seed) == nil {
      guard seed == "-" || FileManager.default.fileExists(atPath: seed) else { throw unknownSeed }
      text = try textOfInput(seed)
      _ = try SeedFile.read(text, from: seed)
    }
    let body = try DevelopmentJSON.encode(NewWorld(seed: text, name: name, number: number, port: port))
    try printing.output.show(try await server.call(WorldSummary.self, .post, ["worlds"], body: body))
  }
}
