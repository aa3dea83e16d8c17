import Foundation
import MadangCore
import MadangProviders

extension ServerSettings {
  /// Problems of these settings, each with a cure.
  func registrationProblems() -> [String] {
    var problems: [String] = []
    if domain.registration.mode == .domain && domain.registration.domains.isEmpty {
      problems.append(
        "registration.domains: registration is 'domain', but no domain is set; write domains like example.com,example.org"
      )
    }
    if !domain.registration.approver.isEmpty, MailAddress(domain.registration.approver) == nil {
      problems.append(
        "registration.approval.to: '\(domain.registration.approver)' is not a mail address; write one, or leave the setting out"
      )
    }
    if !domain.registration.approver.isEmpty, mail.server.isEmpty && !isDevelopment {
      problems.append(
        "registration.approval.to: this server sends no mails; set mail.smtp and mail.from, or leave the setting out")
    }
    if domain.registration.confirmation != .off {
      if mail.server.isEmpty && !isDevelopment {
        problems.append(
          "registration.confirm: it is '\(domain.registration.confirmation.rawValue)', but this server sends no mails; set mail.smtp and mail.from, or "
            + "write off")
      }
      if domain.publicURL.isEmpty {
        problems.append(
          "registration.confirm: its mails need links; set public.url, or set registration.confirm to off")
      }
    }
    if !domain.publicURL.isEmpty, domain.publicURL.hasSuffix("/") || URL(string: domain.publicURL)?.host() == nil {
      problems.append(
        "public.url: '\(domain.publicURL)' must be like https://chat.example.com, without a slash at the end")
    }
    return problems
  }
}
