import ArgumentParser
import Conformance
import Foundation
import MadangAPI
import MadangClient
import MadangCore
import MadangOperations
import UnixSignals

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
      wire contract, outcome, evidence, request, cause), a summary to standard output. Violations with one cause are one \
      finding. After Ctrl-C the files hold the outcomes until then, and the exit status is 130.

      Rules need a key of their edition. Some need both keys, and some the calls of a server in development mode (--dev), such as \
      the rules that move its clock. Rules that cannot be tried are skipped, with the reason.

      Exit status 69 when the server cannot be reached, or stops answering: then the rest is skipped. Exit status 1 when a rule is violated, when no rule could be tried, and when the server refuses a key or knows it as that of the other edition. docs/reference/conformance.md explains outcomes.
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

  @Option(
    help: ArgumentHelp("Also write the outcomes as JUnit's XML, for CI services.", valueName: "file"),
    completion: .file())
  var junit: String?

  @Option(
    help: ArgumentHelp(
      "Also write README.md, a page for each edition, badge.svg and results.jsonl into a folder.", valueName: "dir"),
    completion: .directory)
  var pages: String?

  @Option(help: "How many rules are tried at a time, 1 to 64.")
  var parallel = 12

  @Option(
    help: ArgumentHelp(
      "How long an answer or a packet may take before a rule counts as violated, such as 40s.", valueName: "time"))
  var timeout = "20s"

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
    _ = try patience
  }

  private var patience: Duration {
    get throws { try WaitTime.read(timeout, of: "--timeout", atLeast: .seconds(1)) }
  }

  private var selected: [Rule] { Suite.rules(matching: only) }

  func run() async throws {
    guard !list, let server else { return try showRules() }
    let url = try ConnectionOptions.normalised(server)
    _ = try trust.authorities
    let outcomes = try await ServerUnderTest.with(
      url, keys: keys.given(isInDevelopment: dev), isInDevelopment: dev, patience: try patience, authorities: trust.path
    ) { server in
      do { try await server.reach() } catch {
        throw MadangError.unreachable(host: url, reason: NetworkProblem.words(of: error))
      }
      try refuse(await server.editionsOfRefusedKeys())
      try refuse(mistaken: await server.editionsOfMistakenKeys())
      return try await tried(at: server)
    }
    try files.write(outcomes)
    let summary = Summary(outcomes)
    try FindingsText(outcomes: outcomes, summary: summary, output: printing.output).show(results: results)
    let untried = outcomes.count(where: \.isOfSilence)
    guard untried == 0 else {
      throw Failure(
        "\(url) no longer answers; \(untried) of \(outcomes.count) rules were not tried to their end", .unavailable)
    }
    guard summary.findings.isEmpty else { throw Failure(FindingsText.total(summary)) }
    if let emptiness = summary.emptiness { throw Failure(emptiness) }
  }

  private var files: OutcomeFiles { OutcomeFiles(results: results, junit: junit, pages: pages) }

  /// Tries the rules. SIGINT and SIGTERM end the program, with the outcomes until then in the files.
  private func tried(at server: ServerUnderTest) async throws -> [Outcome] {
    let runner = Runner(server, selected, parallelism: parallel)
    let outcomes = OutcomesSoFar(total: runner.count)
    let signals = await UnixSignalsSequence(trapping: .sigint, .sigterm)
    let watch = Task { [files] in
      for await signal in signals { outcomes.end(at: signal, files) }
    }
    defer { watch.cancel() }
    return try await ProgressLine.following(every: printing.json ? nil : .seconds(5)) { tell in
      tell(outcomes.progress)
      return await runner.run { outcome in
        outcomes.add(outcome)
        tell(outcomes.progress)
      }
    }
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

  /// With the other edition's key nearly every rule of the edition is violated, although the server may be right.
  private func refuse(mistaken editions: [EditionName]) throws(Failure) {
    guard let edition = editions.first else { return }
    throw Failure(
      editions.count > 1
        ? "the keys of the two editions are exchanged, so no rule was tried" : keys.problem(withKeyOf: edition))
  }

  private func showRules() throws {
    try printing.output.list(
      selected.map(ListedRule.init),
      [
        Column("RULE", \.rule), Column("SECTION", \.section), Column("EDITIONS") { $0.editions.joined(separator: " ") },
        Column("NEEDS") { $0.needs.joined(separator: " ") }, Column("SENTENCE", \.sentence),
      ], empty: "")
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
