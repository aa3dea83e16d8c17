import MadangCore
import MadangProviders

/// Calls the payment provider, and notes whether it refuses the settings.
package struct WatchedPayments: PaymentVerifier {
  private let verifier: any PaymentVerifier
  private let troubles: Troubles

  package init(_ verifier: any PaymentVerifier, _ troubles: Troubles) {
    (self.verifier, self.troubles) = (verifier, troubles)
  }

  package func payment(_ id: String, merchantID: String) async throws -> Payment? {
    do {
      let payment = try await verifier.payment(id, merchantID: merchantID)
      troubles.worked(.payments)
      return payment
    } catch let error as ProviderCalls.Unusable {
      if [401, 403].contains(error.status) {
        troubles.failed(.payments, because: "it answers \(error.status)")
      }
      throw error
    }
  }
}
