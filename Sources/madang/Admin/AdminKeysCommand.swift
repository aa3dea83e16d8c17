import ArgumentParser
import MadangOperations

struct AdminKeysCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "keys", abstract: "API keys, which applications send with each call.",
    discussion: """
      The server keeps hashes only. The first server of a database makes a key for each edition, in its secrets/, and knows \
      them like keys made here. Keys from its settings (--print-config) and development keys are not listed. A running server notices \
      changes within a second or two.
      """,
    subcommands: [AdminKeysList.self, AdminKeysCreate.self, AdminKeysRevoke.self])
}

extension Output {
  func show(_ key: KeySummary) throws {
    try object(
      key,
      [
        ("number", "\(key.number)"), ("edition", key.edition), ("label", key.label),
        ("registration", key.registration ?? "as the server"), ("approval", key.approval ?? "as the server"),
        key.key.map { ("key", $0) } ?? ("revoked", key.revokedAt.map { LocalTime($0).day } ?? "no"),
      ])
  }
}
