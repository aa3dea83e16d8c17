import MadangAPI
import MadangCore

extension Edition2024_01 {
  static func addCoins(to routes: inout EditionRoutes) {
    routes.on(storeItems) { call in call.madang.storeItems.map(StoreItem.init) }
    routes.on(validatePayment) { call in Billing(try await call.creditPayment(), call.dates) }
  }
}

extension Edition2024_01.StoreItem {
  init(_ item: MadangCore.StoreItem) { self.init(item: item.name, amount: String(item.amount)) }
}

extension Edition2024_01.Billing {
  init(_ billing: MadangCore.Billing, _ dates: WireDates) {
    self.init(
      billingID: billing.id.number, merchantUID: billing.payment.merchantID, amount: billing.item.amount,
      sesacCoin: billing.item.coins, success: true, createdAt: dates.label(billing.createdAt))
  }
}
