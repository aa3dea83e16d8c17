import MadangCore
import MadangOperations

extension Service {
  /// Runs what compares a password with that of an account, as often as passwords of one account may be tried. The audit log is told if
  /// it fails.
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
