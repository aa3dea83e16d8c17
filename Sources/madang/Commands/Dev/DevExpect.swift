import ArgumentParser
import Foundation
import MadangDevelopment

struct DevExpect: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "expect", abstract: "Compare the journal with expected calls of clients.",
    usage: "madang dev expect <json> [options]\nmadang dev expect - < <file>",
    discussion: """
      madang dev expect '{"expected":[{"operation":"signIn"}],"wait":"5s"}'

      docs/reference/dev.md describes the fields. Exit status 1 if the expectation is not met, 64 if the server refuses it.
      """)

  @OptionGroup var options: DevelopmentOptions
  @OptionGroup var printing: JSONOption
  @Argument(help: "The expectation; - for standard input.") var expectation: String

  func run() async throws {
    let body = Data((expectation == "-" ? try textOfInput(expectation) : expectation).utf8)
    let outcome = try await options.server.call(
      ExpectationOutcome.self, .post, options.path("expect"), body: body, waiting: Self.longest, mistaken: .usage)
    try printing.output.development(
      outcome,
      [("met", outcome.met ? "yes" : "no")] + outcome.differences.map { ("different", $0) }
        + outcome.matched.map {
          (
            "expected \($0.expected)",
            $0.entries.isEmpty ? "no entry" : "entries \($0.entries.map(String.init).joined(separator: " "))"
          )
        })
    guard outcome.met else { throw ExitCode.failure }
  }

  /// Longest `wait` and `settle` together, in seconds.
  private static let longest = Duration.seconds(120)
}
