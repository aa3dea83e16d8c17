import ArgumentParser
import MadangDevelopment

struct DevScriptsCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "scripts", abstract: "Scripts: what people of a world do on their own.",
    subcommands: [
      DevScriptsList.self, DevScriptsAdd.self, DevScriptsStart.self, DevScriptsStop.self, DevScriptsWait.self,
    ])
}

extension Output {
  func show(_ scripts: [ScriptReport]) throws {
    try developmentList(
      scripts,
      [
        Column("NAME", \.name), Column("STATE", \.state.rawValue), Column("RUNS") { "\($0.runs)" },
        Column("UNDER WAY") { "\($0.underWay)" }, Column("FAILED") { "\($0.failed)" },
        Column("FIRST FAILURE") { script in script.failures.first?.words ?? "" },
      ], empty: "There are no scripts.")
  }

  func show(_ script: ScriptReport) throws {
    let failures = script.failures.map { ("failure", $0.words) }
    try development(
      script,
      [
        ("name", script.name), ("state", script.state.rawValue), ("runs", "\(script.runs)"),
        ("under way", "\(script.underWay)"), ("failed", "\(script.failed)"),
      ] + failures)
  }
}

extension ScriptReport.Problem {
  fileprivate var words: String {
    "run \(run)" + (step.map { ", step \($0)" } ?? "") + (person.map { " (\($0))" } ?? "")
      + ": \(error)" + (code.map { " (\($0))" } ?? "")
  }
}
