import ArgumentParser
import MadangDevelopment

struct DevReviewCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "review", abstract: "Find habits of clients that will fail in production.",
    usage: "madang dev review [--account <email>] [options]",
    discussion: """
      Reads the server's journal (docs/reference/dev.md). Exit status 1 if anything was found, or if the journal has no calls.
      """)

  @OptionGroup var options: DevelopmentOptions
  @OptionGroup var printing: JSONOption
  @Option(help: ArgumentHelp("Only this person's clients.", valueName: "email")) var account: String?
  @Option(help: ArgumentHelp("Only entries of the journal after this number.", valueName: "number")) var after: Int?

  func run() async throws {
    let report = try await options.server.call(
      Review.Report.self, .get, options.path("review"),
      query: [("account", account), ("after", after.map { "\($0)" })])
    let output = printing.output
    if output.json {
      try Terminal.json(DevelopmentJSON.encode(report))
    } else if report.findings.isEmpty {
      output.note(
        report.looked > 0
          ? "Nothing was found in the journal's entries up to \(report.last)."
          : "The journal has no calls of clients\(options.world == nil ? "; --world ID looks in a world's own" : "").")
    } else {
      for finding in report.findings {
        try Terminal.line(
          """
          \(finding.habit.rawValue)\(finding.account.map { " (\($0.printable))" } ?? ""): \(finding.what.printable)
            entries:  \(finding.calls.map(String.init).joined(separator: " "))
            instead:  \(finding.cure)
            contract: \(finding.rule)
          """)
      }
    }
    guard report.findings.isEmpty, report.looked > 0 else { throw ExitCode.failure }
  }
}
