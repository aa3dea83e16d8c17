import Foundation
import MadangCore
import NIOHTTP1

/// PortOne's REST API v1 (formerly iamport): a token for key and secret, then payments by `imp_uid`.
///
/// Source: https://developers.portone.io/api/rest-v1 (`POST /users/getToken`, `GET /payments/{imp_uid}`).
package struct PortOnePayments: PaymentVerifier {
  struct Envelope<Response: Decodable>: Decodable {
    let response: Response?
  }

  struct Token: Decodable {
    let accessToken: String
    let now: Int64
    let expiredAt: Int64

    var lifetime: Duration { .seconds(expiredAt.reckonable - now.reckonable) }
  }

  struct Record: Decodable {
    let impUid: String
    let merchantUid: String
    let amount: Double
    let cancelAmount: Double?
    let currency: String?
    let status: String
    let paidAt: Int64?
    let pgId: String?

    /// - Parameter shops: Ids of the shops at payment gateways whose payments count; empty for all.
    func payment(shops: Set<String>) -> Payment? {
      // Items are priced in won: the same number in another currency is another amount.
      guard currency ?? "KRW" == "KRW", let amount = Int(exactly: amount) else { return nil }
      return Payment(
        id: impUid, merchantID: merchantUid, amount: amount,
        isSettled: status == "paid" && cancelAmount ?? 0 == 0
          && (shops.isEmpty || pgId.map(shops.contains) ?? false),
        paidAt: (paidAt ?? 0).reckonable * 1000)
    }
  }

  private struct KeyPair: Encodable {
    let impKey: String
    let impSecret: String
  }

  private let url: String
  private let shops: Set<String>
  private let calls: ProviderCalls
  private let token: ExpiringToken

  package init(_ settings: ProviderSettings.PortOne, calls: ProviderCalls) {
    url = settings.url
    shops = settings.shops
    self.calls = calls
    token = ExpiringToken {
      let encoder = JSONEncoder()
      encoder.keyEncodingStrategy = .convertToSnakeCase
      let keys = try encoder.encode(KeyPair(impKey: settings.key, impSecret: settings.secret))
      let answer = try await calls.post("\(settings.url)/users/getToken", [UInt8](keys))
      guard answer.status == 200, let token = try answer.decode(Envelope<Token>.self).response else {
        throw ProviderCalls.Unusable(status: answer.status)
      }
      return .init(text: token.accessToken, lifetime: token.lifetime)
    }
  }

  package func payment(_ id: String, merchantID _: String) async throws -> Payment? {
    // Only such ids exist; other text must not become part of a path.
    guard id.utf8.count <= 100, id.utf8.allSatisfy({ $0 == UInt8(ascii: "_") || Character(.init($0)).isLetterOrDigit })
    else { return nil }
    let began = ContinuousClock.now
    var answer = try await look(id)
    // The token was revoked early; another try only while the client still waits.
    if answer.status == 401, ContinuousClock.now - began < calls.timeout / 2 { answer = try await look(id) }
    switch answer.status {
    case 200:
      guard let record = try answer.decode(Envelope<Record>.self).response else { return nil }
      return record.payment(shops: shops)
        ?? Payment(id: record.impUid, merchantID: record.merchantUid, amount: 0, isSettled: false, paidAt: 0)
    case 404: return nil
    default: throw ProviderCalls.Unusable(status: answer.status)
    }
  }

  private func look(_ id: String) async throws -> ProviderCalls.Answer {
    let token = try await token.text
    let answer = try await calls.get("\(url)/payments/\(id)", headers: ["Authorization": token])
    if answer.status == 401 { await self.token.forget(token) }
    return answer
  }
}

extension Character {
  fileprivate var isLetterOrDigit: Bool { isASCII && (isLetter || isNumber) }
}

extension Int64 {
  /// Seconds from another server, limited to over thirty thousand years so that sums and products stay in range.
  fileprivate var reckonable: Int64 { Swift.min(Swift.max(self, 0), 1 << 40) }
}
