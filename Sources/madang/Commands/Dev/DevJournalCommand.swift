import ArgumentParser
import Foundation
import MadangDevelopment

struct DevJournalCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "journal", abstract: "List requests and packets of a server, or wait for them.",
    usage: "madang dev journal [<field>=<value> ...] [--wait <time>] [options]",
    discussion: """
      Fields select entries, as in 'madang dev journal operation=postToChannel code=E05'; * is any text. docs/reference/dev.md \
      lists them. With --wait it returns as soon as there are --count entries. Exit status 1 if they do not come, 64 if \
      the server refuses a field. With --follow it prints entries as they come, until it is stopped; if the server is \
      restarted, it goes on with the new journal. A world ends with its server, and --follow with the world.
      """)

  @OptionGroup var options: DevelopmentOptions
  @Argument(help: ArgumentHelp("The value that a field of an entry must have.", valueName: "field=value")) var fields:
    [String] = []
  @Option(help: ArgumentHelp("Only entries after this number.", valueName: "number")) var after: Int?
  @Option(help: ArgumentHelp("The largest number of entries, the oldest first.", valueName: "count")) var limit: Int?
  @Option(help: ArgumentHelp("How long to wait for them, up to 60s.", valueName: "time")) var wait: String?
  @Option(help: ArgumentHelp("How many to wait for.", valueName: "count")) var count: Int?
  @Flag(help: "Wait for more entries, and print them as they come.") var follow = false
  @Flag(help: "Print an entry a line, as JSON.") var json = false
  @Flag(help: "Print an HTTP archive (HAR), which browsers open.") var har = false

  func validate() throws {
    if json && har { throw ValidationError("Choose one of --json and --har.") }
    if har && wait != nil { throw ValidationError("Wait first, without --har; then print the archive without --wait.") }
    if follow && (har || wait != nil || limit != nil) {
      throw ValidationError("--follow prints all entries as they come: leave out --wait, --limit and --har.")
    }
    if count != nil && wait == nil { throw ValidationError("--count says how many to wait for: it needs --wait.") }
    if let wait { _ = try WaitTime.read(wait, of: "--wait") }
    if let field = fields.first(where: { !$0.contains("=") }) {
      throw ValidationError("\(field): write field=value, such as kind=push.")
    }
    let options = ["after", "limit", "wait", "count"]
    for name in fields.map({ $0.prefix { $0 != "=" } }) {
      if name == "format" { throw ValidationError("format: choose it with --json or --har.") }
      if options.contains(String(name)) { throw ValidationError("\(name): is an option, --\(name).") }
    }
  }

  func run() async throws {
    var query = fields.map { field -> (String, String?) in
      let parts = field.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      return (String(parts[0]), String(parts[1]))
    }
    query += [
      ("after", after.map { "\($0)" }), ("limit", limit.map { "\($0)" }),
      ("wait", wait), ("count", count.map { "\($0)" }),
    ]
    if har {
      let archive = try await options.server.call(
        .get, options.path("journal"), query: query + [("format", "har")], mistaken: .usage)
      return try Terminal.json(archive)
    }
    if follow { return try await printAsTheyCome(query) }
    let page = try await page(query)
    let moments = moments(of: page.entries)
    try Output(json: json).developmentList(
      page.entries, Self.columns { moments[$0.number] ?? $0.at }, empty: "No entries match.")
    if let wait, !page.complete {
      throw Failure("\(page.entries.count) of \(count ?? 1) matching entries came within \(wait)")
    }
  }

  private static func columns(_ moment: @escaping (JournalEntry) -> String = \.at) -> [Column<JournalEntry>] {
    [
      Column("NUMBER") { "\($0.number)" }, Column("AT", moment), Column("WHO") { $0.account ?? "" },
      Column("WHAT", \.summary), Column("OUTCOME", \.outcome),
    ]
  }

  /// - Parameter mistaken: The exit status if the server reports that the call is wrong.
  func page(_ query: [(String, String?)], mistaken: ExitStatus = .usage) async throws -> Journal.Page {
    try await options.server.call(
      Journal.Page.self, .get, options.path("journal"), query: query, mistaken: mistaken)
  }
}

/// When entries began, by their numbers. While the clock stands still, as real time since the first entry of that moment:
/// `+1.2 s`.
private func moments(of entries: [JournalEntry]) -> [Int: String] {
  var moments: [Int: String] = [:]
  var first: JournalEntry?
  for entry in entries {
    guard let moment = first, moment.at == entry.at else {
      first = entry
      continue
    }
    let later = entry.elapsed - moment.elapsed
    guard later >= 1 else { continue }
    moments[entry.number] = later < 1000 ? "+\(Int(later)) ms" : "+\((later / 100).rounded(.down) / 10) s"
  }
  return moments
}
