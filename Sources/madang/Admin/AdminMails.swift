import ArgumentParser
import MadangOperations

struct AdminMails: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "mails", abstract: "List mails that wait to be sent, the oldest first, and why they wait.",
    usage: "madang admin mails [options]",
    discussion: "At most 200. Subjects and texts are not shown: they have links that open an account.")

  @OptionGroup var options: AdminOptions

  func run() async throws {
    try await options.withData { administration, output in
      let queue = try await administration.mails()
      try output.list(
        queue.mails,
        [
          Column("ERROR") { $0.error ?? "" }, Column("TO", \.to), Column("KIND", \.kind),
          Column("TRIES") { "\($0.tries)" },
          Column("SINCE") { "\(LocalTime($0.queuedAt).day) \(LocalTime($0.queuedAt).time)" },
          Column("NEXT") { LocalTime($0.nextAt).time },
        ], empty: "No mails wait.")
      if !queue.sends { output.note("No mails are sent: mail.smtp is not set.") }
      if queue.waiting > queue.mails.count { output.note("\(queue.waiting) mails wait in all.") }
    }
  }
}
