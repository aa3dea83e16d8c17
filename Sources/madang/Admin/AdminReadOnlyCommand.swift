import ArgumentParser
import MadangOperations

struct AdminReadOnlyCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "read-only", abstract: "Let people read, but not write, on all servers of the database.",
    discussion: """
      For work on the machine, a move to another one, or an investigation. Once 'on' has returned, no more changes by people are committed. \
      They can still read and sign in.
      """,
    subcommands: [AdminReadOnlyOn.self, AdminReadOnlyOff.self, AdminReadOnlyStatus.self],
    defaultSubcommand: AdminReadOnlyStatus.self)
}

extension Output {
  func show(_ mode: ReadOnlySummary) throws {
    var fields = [("read-only", mode.isOn ? "on" : "off")]
    if let since = mode.since.map({ LocalTime($0) }) {
      fields += [("since", "\(since.day) \(since.time)"), ("reason", mode.reason ?? "")]
    }
    try object(mode, fields)
  }
}
