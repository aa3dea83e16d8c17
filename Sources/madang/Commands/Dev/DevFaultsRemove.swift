import ArgumentParser
import MadangDevelopment

struct DevFaultsRemove: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "remove", abstract: "Remove rules.",
    usage: "madang dev faults remove <id> ... [options]\nmadang dev faults remove --all [options]")

  @OptionGroup var options: DevelopmentOptions
  @OptionGroup var printing: JSONOption
  @Flag(help: "Remove all.") var all = false
  @Argument(help: "Their ids.") var id: [Int] = []

  func validate() throws {
    if all == !id.isEmpty { throw ValidationError("Name rules by their ids, or give --all.") }
  }

  func run() async throws {
    var ids = id
    if all {
      ids = try await options.server.call(DevFaultsList.Rules.self, .get, options.path("faults")).faults.map(\.id)
      _ = try await options.server.call(.delete, options.path("faults"))
    } else {
      for id in ids { _ = try await options.server.call(.delete, options.path("faults", "\(id)")) }
    }
    try printing.output.development(
      ["removed": ids], [("removed", ids.map { "\($0)" }.joined(separator: ", "))])
  }
}
