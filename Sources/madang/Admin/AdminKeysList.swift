import ArgumentParser
import MadangOperations

struct AdminKeysList: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list", abstract: "List keys, the oldest first.", usage: "madang admin keys list [options]")

  @OptionGroup var options: AdminOptions

  func run() async throws {
    try await options.withData { administration, output in
      try output.list(
        try await administration.keys(),
        [
          Column("LABEL", \.label), Column("NUMBER") { "\($0.number)" }, Column("EDITION", \.edition),
          Column("REGISTRATION") { $0.registration ?? "" }, Column("APPROVAL") { $0.approval ?? "" },
          Column("SINCE") { LocalTime($0.createdAt).day },
          Column("STATE") { $0.revokedAt == nil ? "" : "revoked" },
        ], empty: "There are no keys.")
    }
  }
}
