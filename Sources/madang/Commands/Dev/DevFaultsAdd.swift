import ArgumentParser
import Foundation

struct DevFaultsAdd: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "add", abstract: "Add one rule or a list of rules, in JSON.",
    usage: "madang dev faults add <json> [options]\nmadang dev faults add - < <file>",
    discussion: #"madang dev faults add '{"match":{"operation":"me"},"effect":{"kind":"answerLost"}}'"#)

  @OptionGroup var options: DevelopmentOptions
  @OptionGroup var printing: JSONOption
  @Argument(help: "The rules; - for standard input.") var rules: String

  private struct Added: Decodable {
    let id: Int?
    let ids: [Int]?
  }

  private struct ID: Encodable { let id: Int }

  func run() async throws {
    let body = Data((rules == "-" ? try textOfInput(rules) : rules).utf8)
    let added = try await options.server.call(Added.self, .post, options.path("faults"), body: body)
    try printing.output.developmentList(
      ((added.ids ?? []) + (added.id.map { [$0] } ?? [])).map(ID.init), [Column("ID") { "\($0.id)" }], empty: "")
  }
}
