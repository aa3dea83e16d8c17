public struct CoinSettings: Sendable {
  public var signUp = setting("coins.signup", 100, .integer(), "coins that a new account gets", .live)
  public var workspace = setting("coins.workspace", 10, .integer(), "price of a new workspace, in coins", .live)
  public var items = section(
    "Push, payments and sign-in providers",
    setting(
      "store.items",
      [
        StoreItem(name: "10 Coin", amount: 100, coins: 10), StoreItem(name: "50 Coin", amount: 500, coins: 50),
        StoreItem(name: "100 Coin", amount: 1000, coins: 100),
      ], .items, "what the store sells, NAME:WON:COINS separated by commas", .live))

  public init() {}
}

extension SettingForm where Value == [StoreItem] {
  /// Prices must differ, because the amount of a payment decides which item was bought.
  fileprivate static var items: Self {
    Self(
      "write 10 Coin:100:10,50 Coin:500:50, each amount once",
      read: { text in
        let items = text.split(separator: ",").map { item -> StoreItem? in
          let parts = item.split(separator: ":").map(String.init)
          guard parts.count == 3, let amount = Int(parts[1]), let coins = Int(parts[2]), amount > 0, coins > 0 else {
            return nil
          }
          return StoreItem(name: parts[0], amount: amount, coins: coins)
        }
        guard !items.contains(nil), Set(items.compactMap(\.?.amount)).count == items.count else { return nil }
        return items.compactMap(\.self)
      }, write: { $0.map { "\($0.name):\($0.amount):\($0.coins)" }.joined(separator: ",") })
  }
}

/// An item of the store: coins at a price in Korean won.
public struct StoreItem: Equatable, Sendable {
  public let name: String
  public let amount: Int
  public let coins: Int

  public init(name: String, amount: Int, coins: Int) {
    self.name = name
    self.amount = amount
    self.coins = coins
  }
}
