import ArgumentParser
import MadangAPI
import MadangClient

struct CoinsCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "coins", abstract: "Show how many coins you have.", usage: "madang coins [options]")

  @OptionGroup var connection: ConnectionOptions

  func run() async throws {
    try await connection.withPerson { person in
      let coins = try await person.client.me().sesacCoin
      try person.output.object(["sesacCoin": coins], [("coins", String(coins))])
    }
  }
}
