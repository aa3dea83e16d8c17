import ArgumentParser

struct StoreCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "store", abstract: "Coins for money.", subcommands: [StoreList.self, StoreBuy.self])
}
