import MadangCore
import MadangOperations

extension Service {
  /// Runs a comparison with an account's password, within the limit of attempts. Failures go to the audit log.
  func tryPassword<Success: Sendable>(
    of emailKey: String, _ origin: Origin, from client: ClientAddress, _ body: () async throws -> Success
  ) async throws -> Success {
    try await refusals.noting(emailKey, origin) {
      try await tries.run(account: emailKey, address: client.network) {
        try await madang.isKnown(emailKey, at: client.text, within: settings.sockets.recentWindow)
      } _: {
        try await body()
      }
    }
  }
}
