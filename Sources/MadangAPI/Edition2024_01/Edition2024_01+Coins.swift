extension Edition2024_01 {
  /// An item of the store. `amount` contains only digits: clients pass it to the payment SDK unchanged.
  public struct StoreItem: Codable, Hashable, Sendable {
    public var item: String
    public var amount: String

    public init(item: String, amount: String) {
      self.item = item
      self.amount = amount
    }
  }

  /// A credited payment. `amount` is the price, `sesacCoin` the number of bought coins; `success` is always true.
  public struct Billing: Codable, Hashable, Sendable {
    public var billingID: Int64
    public var merchantUID: String
    public var amount: Int
    public var sesacCoin: Int
    public var success: Bool
    public var createdAt: String

    enum CodingKeys: String, CodingKey {
      case billingID = "billing_id"
      case merchantUID = "merchant_uid"
      case amount
      case sesacCoin
      case success
      case createdAt
    }

    public init(
      billingID: Int64, merchantUID: String, amount: Int, sesacCoin: Int, success: Bool, createdAt: String
    ) {
      self.billingID = billingID
      self.merchantUID = merchantUID
      self.amount = amount
      self.sesacCoin = sesacCoin
      self.success = success
      self.createdAt = createdAt
    }
  }

  public static let storeItems = Endpoint<[StoreItem]>(.get, "/v1/store/item/list", .token)
  public static let validatePayment = Endpoint<Billing>(.post, "/v1/store/pay/validation", .token)
}
