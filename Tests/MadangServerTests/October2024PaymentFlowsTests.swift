import MadangAPI
import MadangCore
import MadangProviders
import NIOHTTP1
import Support
import Synchronization
import Testing

@testable import MadangOperations
@testable import MadangServer

/// Payments as clients of edition 2024-10 send them (wire contract, Store and payments).
@Suite("Edition 2024-10: payments", .timeLimit(.minutes(5)))
struct October2024PaymentFlowsTests {
  static func validate(_ person: TestPerson, _ impUID: String, _ merchantUID: String) async throws -> World.Answer {
    let body: JSON = ["imp_uid": .text(impUID), "merchant_uid": .text(merchantUID)]
    return try await person.call(.POST, "store/pay/validation", .json(body))
  }

  /// How many answers there were of each kind.
  static func outcomes(
    _ count: Int, _ call: @escaping @Sendable (Int) async throws -> World.Answer
  ) async throws -> [String: Int] {
    try await withThrowingTaskGroup(of: String.self) { group in
      for index in 0..<count {
        group.addTask {
          let answer = try await call(index)
          return answer.code ?? "\(answer.status)"
        }
      }
      return try await group.reduce(into: [:]) { $0[$1, default: 0] += 1 }
    }
  }

  @Test("a payment is credited once; used, unknown and invalid ones are E81 and E82", arguments: TestEngine.available)
  func payment(_ engine: TestEngine) async throws {
    try await World.run(engine) { (world) async throws in
      let a = try await world.signUp("Mina")
      let b = try await world.signUp("Joon")
      let items: JSON = [
        ["item": "10 Coin", "amount": "100"], ["item": "50 Coin", "amount": "500"],
        ["item": "100 Coin", "amount": "1000"],
      ]
      #expect(try await a.get("store/item/list") == items)

      let paid = try await world.payment("ios_1", 500)
      let billing = try await Self.validate(a, paid, "ios_1").json
      #expect(
        billing.keys == ["billing_id", "merchant_uid", "buyer_id", "productName", "price", "sesacCoin", "paidAt"])
      #expect(billing["merchant_uid"] == "ios_1" && billing["buyer_id"] == .text(a.id))
      #expect(billing["productName"] == "50 Coin" && billing["price"] == 500 && billing["sesacCoin"] == 50)
      #expect(billing["paidAt"]?.string?.count == 24)
      #expect(try await a.get("users/me")["sesacCoin"] == 150)

      for person in [a, b] { #expect(try await Self.validate(person, paid, "ios_1").code == "E81") }
      #expect(try await Self.validate(a, "imp_unknown", "ios_9").code == "E81")
      // Either id, once credited, is used up.
      #expect(try await Self.validate(a, try await world.payment("ios_1", 100), "ios_1").code == "E81")
      for status in ["ready", "cancelled", "failed"] {
        #expect(try await Self.validate(a, try await world.payment("s", 100, status: status), "s").code == "E82")
      }
      #expect(try await Self.validate(a, try await world.payment("odd", 101), "odd").code == "E82")
      #expect(try await Self.validate(a, try await world.payment("mine", 100), "other").code == "E82")
      #expect(try await Self.validate(a, "", "").code == "E11")
      for body in [
        ["imp_uid": "x"], ["imp_uid": "x", "merchant_uid": nil], ["imp_uid": 1, "merchant_uid": "x"],
        ["imp_uid": "x\u{0}", "merchant_uid": "x"],
      ] as [JSON] {
        #expect(try await a.code(.POST, "store/pay/validation", .json(body)) == "E11")
      }
      #expect(try await a.get("users/me")["sesacCoin"] == 150)
      #expect(try await b.get("users/me")["sesacCoin"] == 100)
    }
  }

  @Test(
    "100 parallel validations of one payment by two accounts credit it once",
    arguments: TestEngine.available)
  func once(_ engine: TestEngine) async throws {
    try await World.run(engine) { (world) async throws in
      let a = try await world.signUp("Mina")
      let b = try await world.signUp("Joon")
      let paid = try await world.payment("ios_1", 1000)
      let outcomes = try await Self.outcomes(100) {
        try await Self.validate($0.isMultiple(of: 2) ? a : b, paid, "ios_1")
      }
      #expect(outcomes == ["200": 1, "E81": 99])
      let balances = [try await a.get("users/me")["sesacCoin"]?.int, try await b.get("users/me")["sesacCoin"]?.int]
      #expect(Set(balances) == [100, 200])
    }
  }

  /// PortOne as its documentation describes it: one token, three payments.
  private final class FakePortOne: Sendable {
    let tokens = Atomic<Int>(0)
    let looks = Atomic<Int>(0)
    /// What the present token is called.
    let revoked = Atomic<Bool>(false)

    func answer(_ call: FakeProvider.Call) -> FakeProvider.Answer {
      if call.method == "POST", call.path == "/users/getToken" {
        guard call.body.contains("\"imp_key\":\"key\""), call.body.contains("\"imp_secret\":\"secret\"") else {
          return (401, #"{"code":-1,"message":"wrong key","response":null}"#)
        }
        let number = tokens.add(1, ordering: .relaxed).newValue
        return (
          200,
          #"{"code":0,"message":null,"response":{"access_token":"t\#(number)","now":1000,"expired_at":2800}}"#
        )
      }
      looks.add(1, ordering: .relaxed)
      let present = tokens.load(ordering: .relaxed)
      guard call.authorization == "t\(present)", present > 1 || !revoked.load(ordering: .relaxed) else {
        return (401, #"{"code":-1,"message":"unauthorized","response":null}"#)
      }
      func payment(_ amount: String, _ status: String, _ extra: String = "") -> FakeProvider.Answer {
        let id = call.path.split(separator: "/").last ?? ""
        return (
          200,
          """
          {"code":0,"message":null,"response":{"imp_uid":"\(id)","merchant_uid":"m_\(id)","amount":\(amount),\
          "currency":"KRW","status":"\(status)","paid_at":1734073530,"buyer_email":null\(extra)}}
          """
        )
      }
      switch call.path {
      case "/payments/imp_1", "/payments/imp_2": return payment("100", "paid", #","cancel_amount":0"#)
      case "/payments/imp_part": return payment("100", "paid", #","cancel_amount":50"#)
      case "/payments/imp_test": return payment("100", "paid", #","pg_provider":"html5_inicis","pg_id":"INIpayTest""#)
      case "/payments/imp_real": return payment("100", "paid", #","pg_provider":"html5_inicis","pg_id":"MOIreal""#)
      case "/payments/imp_ready": return payment("100.0", "ready")
      case "/payments/imp_broken": return (502, "<html>")
      default: return (404, #"{"code":-1,"message":"존재하지 않는 결제정보입니다.","response":null}"#)
      }
    }
  }

  @Test(
    "payments of PortOne v1 count only for the shops in the settings, not for test channels",
    arguments: TestEngine.available)
  func shops(_ engine: TestEngine) async throws {
    let portOne = FakePortOne()
    try await FakeProvider.run {
      portOne.answer($0)
    } _: { provider in
      var settings = World.settings
      settings.providers.portOne.url = provider.url
      (settings.providers.portOne.key, settings.providers.portOne.secret) = ("key", "secret")
      settings.providers.timeout = .seconds(60)
      #expect(settings.providers.countsTestPayments)
      settings.providers.portOne.shops = ["MOIother", "MOIreal"]
      #expect(!settings.providers.countsTestPayments && settings.problems().isEmpty)
      try await World.run(engine, settings: settings) { (world) async throws in
        let a = try await world.signUp("Mina")
        #expect(try await Self.validate(a, "imp_test", "m_imp_test").code == "E82")
        // A payment without a shop belongs to none.
        #expect(try await Self.validate(a, "imp_1", "m_imp_1").code == "E82")
        #expect(try await Self.validate(a, "imp_real", "m_imp_real").status == 200)
        #expect(try await a.get("users/me")["sesacCoin"] == 110)
      }
      settings.providers.portOne.key = ""
      #expect(settings.problems().contains { $0.hasPrefix("payments.portone.pg: ") })
    }
  }

  @Test("one PortOne token serves many payments, and a revoked token is replaced")
  func portOne() async throws {
    let portOne = FakePortOne()
    try await FakeProvider.run {
      portOne.answer($0)
    } _: { provider in
      var settings = World.settings
      settings.providers.portOne.url = provider.url
      settings.providers.portOne.key = "key"
      settings.providers.portOne.secret = "secret"
      settings.providers.timeout = .seconds(60)
      try await World.run(.sqlite, settings: settings) { (world) async throws in
        let a = try await world.signUp("Mina")
        // However many need a token at once, one is asked for.
        let outcomes = try await Self.outcomes(20) { _ in try await Self.validate(a, "imp_1", "m_imp_1") }
        #expect(outcomes == ["200": 1, "E81": 19])
        #expect(portOne.tokens.load(ordering: .relaxed) == 1)
        #expect(try await a.get("users/me")["sesacCoin"] == 110)
        #expect(try await Self.validate(a, "imp_none", "m_imp_none").code == "E81")
        #expect(try await Self.validate(a, "imp_part", "m_imp_part").code == "E82")
        #expect(try await Self.validate(a, "imp_ready", "m_imp_ready").code == "E82")
        #expect(try await Self.validate(a, "imp_2", "m_imp_1").code == "E81")
        #expect(try await Self.validate(a, "imp_2", "m_other").code == "E82")
        // It cannot be asked: the payment stays unused.
        #expect(try await Self.validate(a, "imp_broken", "m_imp_broken").code == "E81")
        // An id that is no id is never made part of a path.
        let looks = portOne.looks.load(ordering: .relaxed)
        for id in ["..", "../users", "imp 1", "imp_1?x", "임프"] {
          #expect(try await Self.validate(a, id, "m").code == "E81")
        }
        #expect(portOne.looks.load(ordering: .relaxed) == looks)
        portOne.revoked.store(true, ordering: .relaxed)
        let paid = try await Self.validate(a, "imp_2", "m_imp_2").json
        #expect(paid["paidAt"] == "2024-12-13T07:05:30.000Z")
        #expect(portOne.tokens.load(ordering: .relaxed) == 2)
      }
    }
  }
}
