import Foundation
import MadangProviders

extension Doctor {
  /// Providers in the settings that cannot be reached. Any answer is enough: nothing is signed in or sent.
  func providerFindings(_ settings: ServerSettings) async -> [DoctorFinding] {
    let providers = settings.providers
    // Wrong settings already have their findings.
    guard settings.problems().isEmpty, let authorities = try? providers.authorities() else { return [] }
    let calls = ProviderCalls(
      timeout: options.patience, over: ProviderConnections(authorities: authorities, isShared: true))
    return await withTaskGroup(of: DoctorFinding?.self) { group in
      for (key, url, isUsed) in providers.addresses where isUsed {
        group.addTask {
          do {
            _ = try await calls.get(url)
            return nil
          } catch {
            return DoctorFinding(
              .providers, .error, "\(key): \(url) does not answer: \(networkWords(error))",
              cure:
                "check the URL, the name server, and that the firewall lets the server out; for a proxy that inspects TLS, set "
                + "providers.ca (docs/reference/providers.md)")
          }
        }
      }
      return await group.reduce(into: []) { if let finding = $1 { $0.append(finding) } }
        .sorted { $0.message < $1.message }
    }
  }

  /// Whether the mail server accepts this one. No mail is sent.
  func mailFindings(_ settings: ServerSettings) async -> [DoctorFinding] {
    guard !settings.mail.server.isEmpty, settings.problems().isEmpty else { return [] }
    var settings = settings
    settings.mail.timeout = max(1, Int(options.patience.components.seconds))
    do { try await settings.mailSender(name: "").check() } catch {
      return [
        DoctorFinding(
          .mailServer, .error,
          "mail.smtp: \(settings.mail.server) refuses this server: \((error as? SMTPSender.NotTaken)?.description ?? networkWords(error))",
          cure:
            "check mail.smtp, mail.user, mail.password (or mail.oauth.*) and mail.tls, and that the firewall lets the server out (docs/host.md)"
        )
      ]
    }
    return []
  }
}
