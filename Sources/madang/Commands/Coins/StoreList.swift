import ArgumentParser
import MadangAPI
import MadangClient

struct StoreList: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list", abstract: "List what the store sells, with prices in won.",
    usage: "madang store list [options]")

  @OptionGroup var connection: ConnectionOptions

  func run() async throws {
    try await connection.withPerson { person in
      try person.output.list(
        try await person.client.storeItems(), [Column("ITEM", \.item), Column("WON", \.amount)],
        empty: "The store sells nothing.")
    }
  }
}
