extension Edition2024_10 {
  /// An item of the store. `amount` contains only digits: clients pass it to the payment SDK unchanged.
  public struct StoreItem: Codable, Hashable, Sendable {
    public var item: String
    public var amount: String

    public init(item: String, amount: String) {
      self.item = item
      self.amount = amount
    }
  }

  /// A credited payment. `sesacCoin` is the number of bought coins, not the balance: clients add it to their balance.
  public struct Billing: Codable, Hashable, Sendable {
    public var billingID: String
    public var merchantUID: String
    public var buyerID: String
    public var productName: String
    public var price: Int
    public var sesacCoin: Int
    public var paidAt: String

    enum CodingKeys: String, CodingKey {
      case billingID = "billing_id"
      case merchantUID = "merchant_uid"
      case buyerID = "buyer_id"
      case productName
      case price
      case sesacCoin
      case paidAt
    }

    public init(
      billingID: String, merchantUID: String, buyerID: String, productName: String, price: Int, sesacCoin: Int,
      paidAt: String
    ) {
      self.billingID = billingID
      self.merchantUID = merchantUID
      self.buyerID = buyerID
      self.productName = productName
      self.price = price
      self.sesacCoin = sesacCoin
      self.paidAt = paidAt
    }
  }

  public static let storeItems = Endpoint<[StoreItem]>(.get, "/v1/store/item/list", .token)
  public static let validatePayment = Endpoint<Billing>(.post, "/v1/store/pay/validation", .token)
}
