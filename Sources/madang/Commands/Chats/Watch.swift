import ArgumentParser
import MadangAPI
import MadangClient

struct Watch: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "watch", abstract: "Print chats as they are posted, and mark them read.",
    usage: "madang watch <room> ... [--count <n>] [--timeout <seconds>] [options]",
    discussion: """
      A line on standard error appears when every room is live. Lost connections are opened again, and chats that were posted \
      meanwhile are printed then: none is missed or repeated.
      """)

  @OptionGroup var options: WorkspaceOptions
  @Argument(help: "'#channel' or @nickname-or-email; several may be given.") var room: [String]
  @Option(help: "Stop after this many chats.") var count: Int?
  @Option(help: ArgumentHelp("Stop after this time; with --count that is a failure.", valueName: "seconds"))
  var timeout: Double?

  func validate() throws {
    if let count, count < 1 { throw ValidationError("--count must be at least 1.") }
    if let timeout, !(0..<31_536_000).contains(timeout) { throw ValidationError("--timeout must be up to a year.") }
  }

  func run() async throws {
    try await options.withWorkspace { person, workspace in
      var rooms: [NamedRoom] = []
      for name in room { rooms.append(try await person.room(name, in: workspace)) }
      let seen = try await within(timeout) { [rooms] in try await person.watch(rooms, most: count) }
      if let count, (seen ?? 0) < count { throw Failure("the time was up before all chats had arrived") }
    }
  }
}

extension Person {
  /// Prints live chats until `most` have arrived. Returns how many arrived.
  fileprivate func watch(_ rooms: [NamedRoom], most: Int?) async throws -> Int {
    let names = Dictionary(rooms.map { ($0.room.id, $0.name) }, uniquingKeysWith: { first, _ in first })
    var printer = ChatPrinter(output)
    var hasBeenLive = false
    var seen = 0
    for try await event in client.watch(rooms.map(\.room)) {
      switch event {
      case .live:
        if hasBeenLive { output.note("live again") }
        if !hasBeenLive { Terminal.message("live: " + rooms.map(\.name).joined(separator: ", ")) }
        hasBeenLive = true
      case .interrupted(let reason):
        output.note("connection lost (\(reason)), connecting again")
      case .chat(let chat):
        try printer.show(chat, in: names.count > 1 ? names[chat.roomID] : nil)
        try markRead([chat])
        seen += 1
        if seen == most { return seen }
      }
    }
    return seen
  }
}

/// Runs `work` and cancels it after `seconds`; nil if it was cancelled.
private func within<Result: Sendable>(
  _ seconds: Double?, _ work: @escaping @Sendable () async throws -> Result
) async throws -> Result? {
  guard let seconds else { return try await work() }
  return try await withThrowingTaskGroup(of: Result?.self) { group in
    group.addTask { try await work() }
    group.addTask {
      try await Task.sleep(for: .seconds(seconds))
      return nil
    }
    defer { group.cancelAll() }
    return try await group.next() ?? nil
  }
}
