import ArgumentParser
import MadangCore
import MadangOperations

struct AdminAudit: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "audit", abstract: "Show who did what: sign-ins, sessions, accounts, keys, backups.",
    usage: "madang admin audit [--since <when>] [--kind <kind> ...] [options]",
    discussion: """
      Prints the newest entries in order of time. <when> is how long ago, like 30m, 12h, 7d or 2w, or a date like 2026-11-24 or \
      2026-11-24T10:00. Kinds: \(AuditSummary.kinds.joined(separator: ", ")).
      """)

  @OptionGroup var options: AdminOptions
  @Option(help: ArgumentHelp("Only entries since then.", valueName: "when"), transform: Moment.read)
  var since: Moment?
  @Option(help: ArgumentHelp("Only entries before then.", valueName: "when"), transform: Moment.read)
  var until: Moment?
  @Option(
    help: ArgumentHelp("Only entries of this kind; may be given several times.", valueName: "kind"),
    completion: .list(AuditSummary.kinds))
  var kind: [String] = []
  @Option(help: ArgumentHelp("Only actions by this account, and actions on it.", valueName: "email"))
  var account: String?
  @Option(help: "The largest number of entries, 1 to 100000.") var limit = 100

  func validate() throws {
    if !(1...100_000).contains(limit) { throw ValidationError("--limit must be from 1 to 100000.") }
    for kind in kind where !AuditSummary.kinds.contains(kind) {
      let guess = Spelling.nearest(to: kind, among: AuditSummary.kinds).map { "; did you mean \($0)?" } ?? "."
      throw ValidationError("There is no kind '\(kind)'\(guess)")
    }
  }

  func run() async throws {
    var question = AuditQuestion()
    (question.since, question.until) = (since?.milliseconds, until?.milliseconds)
    (question.kinds, question.email, question.limit) = (kind, account, limit)
    try await options.withData { [question] administration, output in
      let entries = try await administration.audit(question)
      try output.list(
        entries,
        [
          Column("WHAT", \.words), Column("WHEN") { "\(LocalTime($0.at).day) \(LocalTime($0.at).time)" },
          Column("KIND", \.kind), Column("BY", \.actor), Column("FROM", \.address),
        ], empty: "No entries match.")
      if entries.count == limit {
        output.note(
          "There may be earlier entries: raise --limit, or pass the first entry's 'at' (see --json) to --until.")
      }
    }
  }
}

extension AuditSummary {
  /// The subject of the row and its details.
  fileprivate var words: String {
    let details = detail.texts.filter { !$0.value.isEmpty }.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }
    return ((subject.isEmpty ? [] : [subject]) + details).joined(separator: " ")
  }
}
