import ArgumentParser
import Foundation
import MadangCore
import MadangDevelopment

struct DevWorldsMake: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "make", abstract: "Make a world; it accepts connections when this ends.",
    usage: "madang dev worlds make [--seed <seed>] [--number <number>] [options]",
    discussion: """
      --set gives the world a setting as in a settings file, such as --set socket.ping.interval=1s; it may be repeated. With \
      --ttl the world is removed when no request to it or about it comes for that time: a test run that is ended leaves none.
      """)

  @OptionGroup var server: DevelopmentServerOptions
  @OptionGroup var printing: JSONOption
  @Option(help: "Its initial data: empty, courtyard, crowded, edge, or a file.", completion: .file()) var seed = "empty"
  @Option(help: "Its name.") var name: String?
  @Option(help: "With a number, ids and dates are the same each time.") var number: UInt64?
  @Option(help: "Its port (default: a free one).") var port: Int?
  @Option(help: ArgumentHelp("Remove it after this time without a request, 1s to 7d.", valueName: "time")) var ttl:
    String?
  @Option(name: .customLong("set"), help: ArgumentHelp("A setting of its own. Repeatable.", valueName: "name=value"))
  var settings: [String] = []

  private struct NewWorld: Encodable {
    let seed: String
    let name: String?
    let number: UInt64?
    let port: Int?
    let ttl: String?
    let settings: [String: String]?
  }

  func validate() throws { _ = try given() }

  /// The settings by name.
  private func given() throws -> [String: String] {
    var given: [String: String] = [:]
    for setting in settings {
      let parts = setting.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
      guard parts.count == 2, !parts[0].isEmpty else {
        throw ValidationError("--set \(setting): write name=value, such as socket.ping.interval=1s.")
      }
      if let other = given.updateValue(parts[1], forKey: parts[0]) {
        throw ValidationError("--set \(parts[0]): is given twice, as '\(other)' and as '\(parts[1])'; give it once.")
      }
    }
    return given
  }

  private var unknownSeed: Failure {
    let shipped = Seed.Shipped.allCases.map(\.rawValue)
    let guess = Spelling.guess(seed, among: shipped)
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
    let given = try given()
    let body = try DevelopmentJSON.encode(
      NewWorld(
        seed: text, name: name, number: number, port: port, ttl: ttl, settings: given.isEmpty ? nil : given))
    try printing.output.show(try await server.call(WorldSummary.self, .post, ["worlds"], body: body))
  }
}
