import Foundation
import MadangCore
import MadangOperations
import MadangProviders
import MadangServer
import NIOHTTP1
import SocketIOProtocol
import Support
import Synchronization
import Testing

@Suite("Payments through PortOne's API v2", .timeLimit(.minutes(5)))
struct PortOneV2Tests {
  /// PortOne as its documentation describes it. A payment is named by what is special about it.
  private final class PortOne: Sendable {
    let asked = Mutex<[String]>([])
    /// Statuses that are answered instead, the first one first.
    let faults = Mutex<[Int]>([])

    func answer(_ call: FakeProvider.Call) -> FakeProvider.Answer {
      asked.withLock { $0.append(call.path) }
      if let fault = faults.withLock({ $0.isEmpty ? nil : $0.removeFirst() }) { return (fault, "<html>") }
      guard call.authorization == "PortOne secret" else {
        return (401, #"{"type":"UNAUTHORIZED","message":"인증 정보가 올바르지 않습니다."}"#)
      }
      let id = String(call.path.split(separator: "/").last ?? "").replacing("%20", with: " ")
      func payment(_ changes: [(String, String)] = []) -> FakeProvider.Answer {
        var fields = [
          "status": #""PAID""#, "id": "\"\(id)\"", "transactionId": "\"tx-\(id)\"", "merchantId": #""merchant-1""#,
          "storeId": #""store-1""#, "version": #""V2""#, "currency": #""KRW""#, "orderName": #""10 Coin""#,
          "channel": #"{"type":"LIVE","id":"c","key":"channel-key-1","pgProvider":"TOSSPAYMENTS","pgMerchantId":"m"}"#,
          "amount": #"{"total":100,"taxFree":0,"discount":0,"paid":100,"cancelled":0,"cancelledTaxFree":0}"#,
          "customer": "{}", "requestedAt": #""2024-12-13T07:05:00.000Z""#, "paidAt": #""2024-12-13T07:05:30.25Z""#,
        ]
        for (name, value) in changes { fields[name] = value.isEmpty ? nil : value }
        return (200, "{\(fields.map { "\"\($0)\":\($1)" }.joined(separator: ","))}")
      }
      return switch id {
      case "paid", "other", "a b": payment(id == "a b" ? [("transactionId", #""tx-blank""#)] : [])
      case "untried": payment([("status", #""READY""#), ("transactionId", ""), ("channel", ""), ("paidAt", "")])
      case "issued": payment([("status", #""VIRTUAL_ACCOUNT_ISSUED""#), ("paidAt", "")])
      case "failed": payment([("status", #""FAILED""#), ("paidAt", "")])
      case "cancelled": payment([("status", #""CANCELLED""#)])
      case "partly": payment([("status", #""PARTIAL_CANCELLED""#)])
      case "part": payment([("amount", #"{"total":100,"paid":50,"cancelled":50}"#)])
      case "dollars": payment([("currency", #""USD""#)])
      case "odd": payment([("amount", #"{"total":101,"paid":101,"cancelled":0}"#)])
      case "test": payment([("channel", #"{"type":"TEST"}"#)])
      case "foreign": payment([("storeId", #""store-2""#)])
      case "broken": (200, #"{"status":"PAID"}"#)
      case "forbidden": (403, #"{"type":"FORBIDDEN","message":"요청이 거절된 경우"}"#)
      default: (404, #"{"type":"PAYMENT_NOT_FOUND","message":"결제 건이 존재하지 않습니다."}"#)
      }
    }

    var count: Int { asked.withLock(\.count) }
  }

  private static func run(
    _ engine: TestEngine, secret: String = "secret", takesTests: Bool = false,
    _ body: @escaping @Sendable (World, PortOne) async throws -> Void
  ) async throws {
    let portOne = PortOne()
    try await FakeProvider.run {
      portOne.answer($0)
    } _: { provider in
      var settings = World.settings
      settings.providers.portOneV2.url = provider.url
      settings.providers.portOneV2.secret = secret
      settings.providers.portOneV2.store = "store-1"
      settings.providers.portOneV2.takesTests = takesTests
      settings.providers.timeout = .seconds(60)
      try await World.run(engine, settings: settings) { try await body($0, portOne) }
    }
  }

  private static func code(_ person: TestPerson, _ id: String, _ transaction: String? = nil) async throws -> String {
    let answer = try await October2024PaymentFlowsTests.validate(person, transaction ?? "tx-\(id)", id)
    return answer.code ?? "\(answer.status)"
  }

  @Test(
    "one of many calls with one payment is credited, also by ids of v1",
    arguments: TestEngine.available)
  func once(_ engine: TestEngine) async throws {
    try await Self.run(engine) { world, portOne in
      let (a, b) = (try await world.signUp("Mina"), try await world.signUp("Joon"))
      let outcomes = try await October2024PaymentFlowsTests.outcomes(40) {
        try await October2024PaymentFlowsTests.validate($0.isMultiple(of: 2) ? a : b, "tx-paid", "paid")
      }
      #expect(outcomes == ["200": 1, "E81": 39])
      let balances = [try await a.get("users/me")["sesacCoin"]?.int, try await b.get("users/me")["sesacCoin"]?.int]
      #expect(Set(balances) == [100, 110])
      let other = try await October2024PaymentFlowsTests.validate(a, "tx-other", "other").json
      #expect(other["merchant_uid"] == "other" && other["paidAt"] == "2024-12-13T07:05:30.250Z")
      #expect(try await Self.code(a, "a b", "tx-blank") == "200")
      #expect(portOne.asked.withLock { $0.contains("/payments/a%20b") })
    }
  }

  @Test(
    "a payment counts only if paid in full, in won, over a real channel and to this shop",
    arguments: TestEngine.available)
  func refusals(_ engine: TestEngine) async throws {
    try await Self.run(engine) { world, portOne in
      let a = try await world.signUp("Mina")
      for id in ["issued", "failed", "cancelled", "partly", "part", "dollars", "odd", "test"] {
        #expect(try await Self.code(a, id) == "E82", "\(id)")
      }
      #expect(try await Self.code(a, "paid", "tx-other") == "E82")
      for id in ["untried", "foreign", "nonesuch", "broken", "forbidden"] {
        #expect(try await Self.code(a, id) == "E81", "\(id)")
      }
      // Text that is not an id never becomes part of a path.
      let asked = portOne.count
      for id in ["..", ".", String(repeating: "x", count: 201)] { #expect(try await Self.code(a, id) == "E81") }
      #expect(portOne.count == asked)
      #expect(try await a.get("users/me")["sesacCoin"] == 100)
    }
  }

  @Test("an unreachable PortOne is asked twice and leaves the payment unused", arguments: TestEngine.available)
  func away(_ engine: TestEngine) async throws {
    try await Self.run(engine) { world, portOne in
      let a = try await world.signUp("Mina")
      for status in [429, 502, 503, 504] {
        portOne.faults.withLock { $0 = [status, status] }
        #expect(try await Self.code(a, "paid") == "E81", "\(status)")
      }
      #expect(portOne.count == 8)
      portOne.faults.withLock { $0 = [500] }
      #expect(try await Self.code(a, "paid") == "E81")
      #expect(portOne.count == 9)
      portOne.faults.withLock { $0 = [503] }
      #expect(try await Self.code(a, "paid") == "200")
      #expect(portOne.count == 11)
    }
    try await Self.run(engine, secret: "wrong") { world, _ in
      let mina = try await world.signUp("Mina")
      #expect(try await Self.code(mina, "paid") == "E81")
    }
  }

  @Test("payments through test channels count where the settings say so")
  func tests() async throws {
    try await Self.run(.sqlite, takesTests: true) { world, _ in
      let mina = try await world.signUp("Mina")
      #expect(try await Self.code(mina, "test") == "200")
    }
  }

  @Test("contradicting payment settings are refused by name")
  func settings() {
    func problems(_ change: (inout ProviderSettings) -> Void) -> [String] {
      var settings = ServerSettings()
      change(&settings.providers)
      return settings.problems().filter { $0.hasPrefix("payments") }
    }
    #expect(problems { $0.portOneV2.secret = "s" } == [])
    #expect(problems { $0.portOne.key = "k" }.count == 1)
    #expect(
      problems {
        ($0.portOne.key, $0.portOne.secret, $0.portOneV2.secret) = ("k", "s", "s")
      }.contains { $0.contains("set only one") })
    #expect(problems { $0.portOneV2.store = "store-1" }.count == 1)
    #expect(problems { $0.portOneV2.takesTests = true }.count == 1)
    #expect(problems { ($0.portOneV2.secret, $0.portOneV2.url) = ("s", "http://api.example.com") }.count == 1)
    let blank = problems { $0.portOneV2.secret = "secret key" }
    #expect(blank.count == 1 && !blank[0].contains("secret key"))
  }
}
