import ArgumentParser
import MadangDevelopment

struct DevFaultsList: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list", abstract: "List the rules and how often each applied.",
    usage: "madang dev faults list [options]"
  )

  @OptionGroup var options: DevelopmentOptions
  @OptionGroup var printing: JSONOption

  struct Rules: Decodable { let faults: [Faults.Report] }

  func run() async throws {
    func text(_ value: some Encodable) -> String {
      (try? DevelopmentJSON.encode(value)).map { String(decoding: $0, as: UTF8.self) } ?? ""
    }
    let rules = try await options.server.call(Rules.self, .get, options.path("faults")).faults
    try printing.output.developmentList(
      rules,
      [
        Column("MATCH") { text($0.match) }, Column("EFFECT") { text($0.effect) }, Column("ID") { "\($0.id)" },
        Column("MATCHED") { "\($0.matched)" }, Column("APPLIED") { "\($0.applied)" },
      ], empty: "There are no faults.")
  }
}
