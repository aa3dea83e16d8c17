import ArgumentParser
import MadangDevelopment

struct DevWorldsCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "worlds", abstract: "Worlds: separate servers for tests, in one process.",
    subcommands: [
      DevWorldsList.self, DevWorldsMake.self, DevWorldsRemove.self, DevWorldsReset.self, DevWorldsSnapshot.self,
      DevWorldsRestore.self,
    ])
}

extension Output {
  func show(_ world: WorldSummary) throws {
    try development(
      world,
      [
        ("id", world.id), ("name", world.name), ("url", world.url), ("seed", world.seed),
        ("number", world.number.map { "\($0)" } ?? ""), ("now", world.now),
        ("snapshots", world.snapshots.joined(separator: ", ")), ("expires", world.expires ?? ""),
        ("settings", world.settings.sorted { $0.key < $1.key }.map { "\($0)=\($1)" }.joined(separator: ", ")),
      ])
  }
}
