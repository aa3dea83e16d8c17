import Foundation
import MadangProviders

extension Doctor {
  /// Which of the providers that settings name cannot be reached. Any answer will do: nobody is signed in, and nothing is told.
  func providerFindings(_ settings: ServerSettings) async -> [DoctorFinding] {
    let providers = settings.providers
    // Settings that are wrong have their findings already.
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
                "check the URL, the name server, and that the firewall lets the server out; for a proxy that looks into TLS, "
                + "providers.ca (docs/reference/providers.md)")
          }
        }
      }
      return await group.reduce(into: []) { if let finding = $1 { $0.append(finding) } }
        .sorted { $0.message < $1.message }
    }
  }

  /// Whether the server of mails lets this one in. No mail is sent.
  func mailFindings(_ settings: ServerSettings) async -> [DoctorFinding] {
    guard !settings.mail.server.isEmpty, settings.problems().isEmpty else { return [] }
    var mail = settings.mail
    mail.timeout = max(1, Int(options.patience.components.seconds))
    do { try await SMTPSender(mail).check() } catch {
      return [
        DoctorFinding(
          .mailServer, .error,
          "mail.smtp: \(mail.server) does not let this server in: \((error as? SMTPSender.NotTaken)?.description ?? networkWords(error))",
          cure:
            "check mail.smtp, mail.user, mail.password and mail.tls, and that the firewall lets the server out (docs/host.md)"
        )
      ]
    }
    return []
  }
}
