import ArgumentParser
import MadangAPI
import MadangClient

struct StoreBuy: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "buy", abstract: "Get the coins for a payment made at the payment provider.",
    usage: "madang store buy <imp-uid> <merchant-uid> [options]",
    discussion: "A payment counts once. A development server knows the payments posted to /_dev/payments.")

  @OptionGroup var connection: ConnectionOptions
  @Argument(help: "The provider's id of the payment.") var impUID: String
  @Argument(help: "The shop's id of the payment.") var merchantUID: String

  func run() async throws {
    try await connection.withPerson { person in
      let billing = try await person.client.creditPayment(impUID, merchantID: merchantUID)
      try person.output.object(
        billing,
        [
          ("item", billing.productName), ("won", String(billing.price)), ("coins", String(billing.sesacCoin)),
          ("id", billing.billingID),
        ])
    }
  }
}
