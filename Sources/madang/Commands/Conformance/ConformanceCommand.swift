import ArgumentParser
import Conformance
import Foundation
import MadangAPI
import MadangClient
import MadangOperations

struct ConformanceCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "conformance", abstract: "Test any server against the rules of the wire contract.",
    usage: """
      madang conformance <url> --key <key> [--edition <edition>] [options]
      madang conformance <url> --key-2024-10 <key> --key-2024-01 <key>
      madang conformance --list [--only <pattern>] ... [--json]
      """,
    discussion: """
      Signs up its own accounts, lets them talk, and checks every answer and socket. It leaves accounts, workspaces and \
      chats behind: use a test server. Each outcome goes into a file (rule, edition, heading of the \
      wire contract, outcome, evidence), a summary to standard output.

      Rules need a key of their edition. Some need both keys, and some the calls of a server in development mode (--dev), such as \
      the rules that move its clock. Rules that cannot be tried are skipped, with the reason.

      Exit status 1 when a rule is violated, when no rule could be tried, and when the server refuses a key. docs/reference/conformance.md explains outcomes.
      """)

  @Argument(help: ArgumentHelp("The server, such as http://127.0.0.1:8080.", valueName: "url"))
  var server: String?

  @OptionGroup var keys: EditionKeyOptions

  @Flag(help: "The server runs in development mode (/_dev); then its development keys are the default.")
  var dev = false

  @Option(
    help: ArgumentHelp("Only rules whose id contains this, or matches it with '*'; repeatable.", valueName: "pattern"))
  var only: [String] = []

  @Flag(help: "List the rules instead of trying them.")
  var list = false

  @Option(
    help: ArgumentHelp("Where the outcomes go, one JSON object per line.", valueName: "file"), completion: .file())
  var results = "results.jsonl"

  @Option(help: ArgumentHelp("Also write the summary as Markdown.", valueName: "file"), completion: .file())
  var summary: String?

  @Option(help: "How many rules are tried at a time, 1 to 64.")
  var parallel = 12

  @OptionGroup var trust: CAFileOption
  @OptionGroup var printing: JSONOption

  func validate() throws {
    for pattern in only where Suite.rules(matching: [pattern]).isEmpty {
      let known = Suite.rules.flatMap { [$0.id, $0.feature, $0.feature + "."] }
      let guess = Spelling.nearest(to: pattern, among: known).map { "did you mean '\($0)'? " } ?? ""
      throw ValidationError("--only: no rule matches '\(pattern)'; \(guess)'madang conformance --list' lists them.")
    }
    guard !list else { return }
    guard server != nil else { throw ValidationError("Give the server's URL, such as http://127.0.0.1:8080.") }
    if keys.given(isInDevelopment: dev).isEmpty {
      throw ValidationError("Give the server's key: --key KEY, or --key-2024-10 KEY and --key-2024-01 KEY.")
    }
    guard (1...64).contains(parallel) else { throw ValidationError("--parallel: write a number from 1 to 64.") }
  }

  private var selected: [Rule] { Suite.rules(matching: only) }

  func run() async throws {
    guard !list, let server else { return try showRules() }
    let url = try ConnectionOptions.normalised(server)
    _ = try trust.authorities
    let outcomes = try await ServerUnderTest.with(
      url, keys: keys.given(isInDevelopment: dev), isInDevelopment: dev, authorities: trust.path
    ) { server in
      do { try await server.reach() } catch {
        throw MadangError.unreachable(host: url, reason: NetworkProblem.words(of: error))
      }
      try refuse(await server.editionsOfRefusedKeys())
      for edition in await server.editionsOfMistakenKeys() {
        printing.output.note(
          "With the key of edition \(edition.rawValue) the server answers as the other edition: are the keys exchanged?"
        )
      }
      return try await ProgressLine.following { tell in
        await Runner(server, selected, parallelism: parallel).run { done, total in
          tell(WorkProgress(phase: "trying rules", done: done, total: total))
        }
      }
    }
    try write(Summary.lines(outcomes), to: results)
    let counted = Summary(outcomes)
    if let summary { try write(Array(counted.markdown(results: path(from: summary)).utf8), to: summary) }
    try show(outcomes, counted)
    let count = counted.violations.count
    guard count == 0 else { throw Failure("\(count) violation\(count == 1 ? "" : "s")") }
    if let emptiness = counted.emptiness { throw Failure(emptiness) }
  }

  /// The path of the results, relative to `page` if possible.
  private func path(from page: String) -> String {
    let (results, page) = (URL(filePath: results).standardizedFileURL, URL(filePath: page).standardizedFileURL)
    let isBeside = results.deletingLastPathComponent() == page.deletingLastPathComponent()
    return isBeside ? results.lastPathComponent : results.path
  }

  /// With a refused key every rule of the edition would seem violated, although none is.
  private func refuse(_ editions: [EditionName]) throws(Failure) {
    guard !editions.isEmpty else { return }
    let names = editions.map(\.rawValue).joined(separator: " and ")
    let cure = editions.map(keys.option).joined(separator: " ")
    throw Failure(
      "the server refuses the key of edition \(names) (\(ErrorCode.badKey.rawValue)), so no rule was tried; give the right one with \(cure)"
    )
  }

  private func write(_ bytes: [UInt8], to path: String) throws {
    do { try Data(bytes).write(to: URL(filePath: path)) } catch {
      throw Failure("\(path) cannot be written: \(FileProblem.words(of: error))")
    }
  }

  private func showRules() throws {
    try printing.output.list(
      selected.map(ListedRule.init),
      [
        Column("RULE", \.rule), Column("SECTION", \.section), Column("EDITIONS") { $0.editions.joined(separator: " ") },
        Column("NEEDS") { $0.needs.joined(separator: " ") }, Column("SENTENCE", \.sentence),
      ], empty: "")
  }

  private func show(_ outcomes: [Outcome], _ summary: Summary) throws {
    let output = printing.output
    if output.json { return try outcomes.forEach(output.line) }
    try output.list(
      summary.features + [summary.total],
      [
        Column("FEATURE", \.feature), Column("PASSED") { "\($0.passed)" }, Column("VIOLATED") { "\($0.violated)" },
        Column("SKIPPED") { "\($0.skipped)" },
      ], empty: "")
    if summary.failedSignUps > 1 {
      output.note(
        "Signing up does not work: POST /v1/users/join fails in \(summary.failedSignUps) rules. Fix it first."
      )
    }
    for violation in summary.violations {
      try Terminal.line(
        "\n\(violation.rule) (\(violation.edition)), \(violation.section): \(violation.sentence)\n  ".printable
          + (violation.evidence ?? "").printable)
    }
    output.note("Outcomes: \(results)")
  }
}

/// A rule in the output of `--list`.
private struct ListedRule: Encodable {
  let rule: String
  let section: String
  let sentence: String
  let editions: [String]
  let needs: [String]

  init(_ rule: Rule) {
    (self.rule, section, sentence) = (rule.id, rule.section.rawValue, rule.sentence)
    editions = rule.editions.map(\.rawValue)
    needs = rule.needs.map(\.rawValue).sorted()
  }
}
