import MadangAPI
import MadangCore

extension Edition2024_10 {
  static func addCoins(to routes: inout EditionRoutes) {
    routes.on(storeItems) { call in call.madang.storeItems.map(StoreItem.init) }
    routes.on(validatePayment) { call in Billing(try await call.creditPayment(), call.dates) }
  }
}

extension Edition2024_10.StoreItem {
  init(_ item: MadangCore.StoreItem) { self.init(item: item.name, amount: String(item.amount)) }
}

extension Edition2024_10.Billing {
  init(_ billing: MadangCore.Billing, _ dates: WireDates) {
    self.init(
      billingID: billing.id.uuid, merchantUID: billing.payment.merchantID, buyerID: billing.buyer.uuid,
      productName: billing.item.name, price: billing.item.amount, sesacCoin: billing.item.coins,
      paidAt: dates.label(billing.payment.paidAt))
  }
}
