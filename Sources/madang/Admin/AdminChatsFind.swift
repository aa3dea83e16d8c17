import ArgumentParser
import MadangOperations

struct AdminChatsFind: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "find", abstract: "Find chats by their text.",
    usage: "madang admin chats find [<text>] [--author <email>] [options]",
    discussion: """
      Prints the newest chats that match in order of time, including direct messages. The audit log records your search. <when> is \
      how long ago, like 30m, 12h or 7d, or a date like 2026-11-24.
      """)

  @OptionGroup var options: AdminOptions
  @Argument(help: "A part of the text; upper and lower case are the same.") var text = ""
  @Option(help: ArgumentHelp("Only chats in this workspace: its number, id or name.", valueName: "workspace"))
  var workspace: String?
  @Option(help: ArgumentHelp("Only chats by this account.", valueName: "email")) var author: String?
  @Option(help: ArgumentHelp("Only chats since then.", valueName: "when"), transform: Moment.read)
  var since: Moment?
  @Option(help: "The largest number of results, 1 to 10000.") var limit = 100

  func validate() throws {
    if !(1...10_000).contains(limit) { throw ValidationError("--limit must be from 1 to 10000.") }
  }

  func run() async throws {
    var question = ChatQuestion()
    (question.text, question.workspace, question.author) = (text, workspace, author)
    (question.since, question.limit) = (since?.milliseconds, limit)
    try await options.withData { [question] administration, output in
      let chats = try await administration.findChats(question)
      try output.list(
        chats,
        [
          Column("CHAT", \.content), Column("NUMBER") { "\($0.number)" }, Column("AUTHOR", \.author),
          Column("WHERE") { "\($0.workspace) \($0.channel.map { "#\($0)" } ?? "(direct)")" },
          Column("FILES") { "\($0.files)" },
          Column("WHEN") { "\(LocalTime($0.createdAt).day) \(LocalTime($0.createdAt).time)" },
        ], empty: "No chats match.")
      if chats.count == limit { output.note("There may be earlier chats: raise --limit.") }
    }
  }
}
