import MadangAPI

extension MadangClient {
  /// The items of the store.
  public func storeItems() async throws -> [Edition2024_10.StoreItem] {
    try await answer(to: Call(Edition2024_10.storeItems, Edition2024_10.storeItems.path()))
  }

  /// Credits the coins of a payment at the payment provider, once. E81: the payment is unknown or was credited before; E82: it is not paid,
  /// or its amount matches no item.
  public func creditPayment(_ payment: String, merchantID: String) async throws -> Edition2024_10.Billing {
    try await answer(
      to: Call(
        Edition2024_10.validatePayment, Edition2024_10.validatePayment.path(),
        body: .fields([(.impUID, payment), (.merchantUID, merchantID)])))
  }
}
