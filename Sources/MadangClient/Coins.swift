import MadangAPI

extension MadangClient {
  /// What the store sells.
  public func storeItems() async throws -> [Edition2024_10.StoreItem] {
    try await answer(to: Call(Edition2024_10.storeItems, Edition2024_10.storeItems.path()))
  }

  /// Credits the coins of a payment made with the payment provider, once. E81: the payment is unknown or was credited
  /// before; E82: it is not paid, or its amount is no item's.
  public func creditPayment(_ payment: String, merchantID: String) async throws -> Edition2024_10.Billing {
    try await answer(
      to: Call(
        Edition2024_10.validatePayment, Edition2024_10.validatePayment.path(),
        body: .fields([(.impUID, payment), (.merchantUID, merchantID)])))
  }
}
