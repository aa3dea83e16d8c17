import MadangProviders

extension ServerSettings {
  /// Sends mails to the mail server of these settings. Throws ``SetupError``.
  /// - Parameter name: The sender's name.
  package func mailSender(name: String) throws -> SMTPSender {
    let connections = ProviderConnections(authorities: try providers.authorities())
    return try SMTPSender(
      mail, name: name, calls: ProviderCalls(timeout: .seconds(mail.timeout), over: connections),
      secrets: secretsDirectory)
  }
}
