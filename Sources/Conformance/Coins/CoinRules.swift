import MadangAPI
import NIOHTTP1

enum CoinRules {
  static let all: [Rule] = [
    Rule("coins.price", .workspaces, "Creating a workspace costs 10 coins.") { trial in
      let person = try await trial.person()
      _ = try await person.workspace()
      try expectEqual("coins", try await person.coins(), 90)
    },
    Rule("coins.not-enough", .errorCodes, "Without enough coins creating a workspace is E21, after E11 and E12.") {
      trial in
      let person = try await trial.person()
      let name = Trial.newName()
      _ = try await person.workspace(name)
      for _ in 0..<9 { _ = try await person.workspace() }
      try expectEqual("coins", try await person.coins(), 0)
      let create = { (name: String) in try await person.call(.POST, "workspaces", .multipart([.text("name", name)])) }
      try await create(Trial.newName()).isRefused(.notEnoughCoins)
      try await create("").isRefused(.badRequest)
      try await create(name).isRefused(.duplicate)
    },
    Rule("coins.refused-is-free", .failedAnswers, "A refused creation costs nothing.") { trial in
      let person = try await trial.person()
      let name = Trial.newName()
      _ = try await person.workspace(name)
      try await person.call(.POST, "workspaces", .multipart([.text("name", name)])).isRefused(.duplicate)
      try expectEqual("coins", try await person.coins(), 90)
    },
    Rule("coins.parallel", .orderOfChecks, "Parallel creations succeed only as often as there are coins.") {
      trial in
      let person = try await trial.person()
      try await parallel(13, successes: 10, others: .notEnoughCoins) {
        try await person.call(.POST, "workspaces", .multipart([.text("name", Trial.newName())]))
      }
      try expectEqual("coins", try await person.coins(), 0)
    },
    .shape(
      "store.items.shape", .objects, "The store's items have exactly the keys item and amount, both strings.",
      \.storeItems
    ) {
      try await $0.person().call(.GET, "store/item/list")
    },
    Rule("store.items.amounts", .storeAndPayments, "amount is bare digits, and items come by price ascending.") {
      trial in
      let items = try await trial.person().list("store/item/list")
      let amounts = try items.texts("amount").map(Int.init)
      try expect(amounts.allSatisfy { $0 != nil }, "bare digits", seen: "\(items)")
      let prices = amounts.compactMap(\.self)
      try expectEqual("prices", prices, prices.sorted())
    },
    .refusal(.badToken, "store.items.token", .storeAndFileEndpoints, "The store needs a token.") {
      try await $0.call(.GET, "store/item/list")
    },
  ]
}
