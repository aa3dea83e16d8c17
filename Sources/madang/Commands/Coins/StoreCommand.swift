import ArgumentParser

struct StoreCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "store", abstract: "Buy coins.", subcommands: [StoreList.self, StoreBuy.self])
}
