import Foundation
import MadangCore
import NIOHTTP1
import SocketIOProtocol

/// PortOne's REST API v2. It knows the payments of v1, too: `merchant_uid` is its `paymentId`, `imp_uid` its `transactionId`.
///
/// Source: https://developers.portone.io/api/rest-v2/payment (`GET /payments/{paymentId}`).
package struct PortOneV2Payments: PaymentVerifier {
  /// The fields of a payment. `transactionId`, `channel` and `paidAt` exist once a customer has tried to pay, or has paid.
  struct Record: Decodable {
    struct Amount: Decodable {
      let total: Int
      let cancelled: Int?
    }

    struct Channel: Decodable { let type: String }

    let status: String
    let id: String
    let transactionId: String?
    let storeId: String?
    let channel: Channel?
    let amount: Amount
    let currency: String
    let paidAt: String?

    /// Nil if no customer has tried to pay it yet, so that it has no second id.
    func payment(takesTests: Bool) -> Payment? {
      guard let transactionId else { return nil }
      let isReal = channel?.type == "LIVE" || takesTests && channel?.type == "TEST"
      return Payment(
        id: transactionId, merchantID: id, amount: amount.total,
        // Items are priced in won: the same number in another currency is another amount.
        isSettled: status == "PAID" && amount.cancelled ?? 0 == 0 && currency == "KRW" && isReal,
        paidAt: paidAt.flatMap { Date(rfc3339: $0) }.map { Int64($0.timeIntervalSince1970 * 1000) } ?? 0)
    }
  }

  /// The largest id in bytes; longer ones do not exist.
  private static let maxID = 200
  /// A longer pause requested by PortOne leaves no time for another try.
  private static let maxPause: Duration = .seconds(1)
  private static let minPause: Duration = .milliseconds(200)

  private let settings: ProviderSettings.PortOneV2
  private let calls: ProviderCalls

  package init(_ settings: ProviderSettings.PortOneV2, calls: ProviderCalls) {
    (self.settings, self.calls) = (settings, calls)
  }

  package func payment(_ id: String, merchantID: String) async throws -> Payment? {
    // Dots are not escaped, but would make the path go up.
    guard merchantID.utf8.count <= Self.maxID, !merchantID.allSatisfy({ $0 == "." }) else { return nil }
    let store = settings.store.isEmpty ? "" : "?storeId=\(settings.store.percentEncoded())"
    let answer = try await look("\(settings.url)/payments/\(merchantID.percentEncoded())\(store)")
    switch answer.status {
    case 200:
      let record = try ForeignJSON.decode(Record.self, from: answer.body)
      guard settings.store.isEmpty || record.storeId == settings.store else { return nil }
      return record.payment(takesTests: settings.takesTests)
    case 404: return nil
    default: throw ProviderCalls.Unusable(status: answer.status)
    }
  }

  /// Asks once more if PortOne does not answer or is overloaded: two calls and the pause end before the client gives up.
  private func look(_ url: String) async throws -> ProviderCalls.Answer {
    let first = try? await ask(url)
    if let first, ![429, 502, 503, 504].contains(first.status) || first.pause > Self.maxPause { return first }
    try await Task.sleep(for: max(first?.pause ?? .zero, Self.minPause))
    return try await ask(url)
  }

  private func ask(_ url: String) async throws -> ProviderCalls.Answer {
    try await calls.get(url, headers: ["Authorization": "PortOne \(settings.secret)"])
  }
}
