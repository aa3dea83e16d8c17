import MadangAPI
import MadangCore

extension Call {
  /// Credits the payment whose ids the body holds.
  func creditPayment() async throws -> Billing {
    let fields = try await fields()
    return try await madang.creditPayment(
      try fields.required(.impUID), merchantID: try fields.required(.merchantUID),
      verifier: service.providers.payments, as: try caller)
  }
}
