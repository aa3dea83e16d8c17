import Logging
import MadangCore
import MadangOperations
import MadangProviders

/// The services outside that a server uses: the providers of the settings, and stand-ins for the rest.
struct Outgoing: Sendable {
  let providers: Providers
  /// Nil if no notifications are sent.
  let pushes: (any PushSender)?
  /// Nil if no mails are sent.
  let mails: (any MailSender)?

  /// Throws ``SetupError`` if a file cannot be used.
  init(
    _ settings: ServerSettings, _ standIns: ProviderStandIns, _ troubles: Troubles, clock: Clock, logger: Logger
  ) async throws {
    providers = try Providers(settings.providers, clock: clock, standIns: standIns, troubles: troubles)
    pushes =
      try await settings.providers.pushSender(lifetime: settings.push.lifetime, logger: logger) ?? standIns.pushes
    mails = settings.mail.server.isEmpty ? standIns.mails : try settings.mailSender(name: settings.senderName)
  }
}
