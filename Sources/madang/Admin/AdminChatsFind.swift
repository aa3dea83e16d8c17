import ArgumentParser
import MadangOperations

struct AdminChatsFind: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "find", abstract: "Look for chats by their text.",
    usage: "madang admin chats find [<text>] [--author <email>] [options]",
    discussion: """
      The newest that fit, the newest last, also in direct messages. The audit log tells that you looked, and for what. <when> is \
      how long ago, like 30m, 12h or 7d, or a date like 2026-11-24.
      """)

  @OptionGroup var options: AdminOptions
  @Argument(help: "A part of the text, in capitals or not.") var text = ""
  @Option(help: ArgumentHelp("Only in this workspace: its number, id or name.", valueName: "workspace"))
  var workspace: String?
  @Option(help: ArgumentHelp("Only what this account wrote.", valueName: "email")) var author: String?
  @Option(help: ArgumentHelp("Only what was written since then.", valueName: "when"), transform: Moment.read)
  var since: Moment?
  @Option(help: "At most so many, 1 to 10000.") var limit = 100

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
        ], empty: "There are no such chats.")
      if chats.count == limit { output.note("There may be earlier ones: raise --limit.") }
    }
  }
}
