import Logging
import MadangCore

extension ProviderSettings {
  /// The sender of notifications; nil if none is set. Throws ``SetupError`` if a file cannot be used.
  package func pushSender(lifetime: Int64, logger: Logger) async throws -> (any PushSender)? {
    let authorities = try authorities()
    let firebase =
      firebase.accountFile.isEmpty
      ? nil
      : try await FirebaseMessaging(
        firebase,
        calls: ProviderCalls(timeout: .seconds(firebase.timeout), over: ProviderConnections(authorities: authorities)))
    guard !applePush.keyFile.isEmpty else { return firebase }
    let connections = ProviderConnections(authorities: authorities, isShared: true)
    return try await ApplePushService(
      applePush, calls: ProviderCalls(timeout: .seconds(applePush.timeout), over: connections), lifetime: lifetime,
      others: firebase, logger: logger)
  }
}
