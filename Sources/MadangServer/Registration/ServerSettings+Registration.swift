import Foundation
import MadangCore

extension ServerSettings {
  /// Who may make an account, unless an API key says otherwise.
  public var registration: RegistrationMode {
    get { RegistrationMode(domain.registration) }
    set { domain.registration = newValue.registration }
  }

  /// Domains of the addresses that may make accounts where registration is by domain, in lower case.
  public var registrationDomains: Set<String> {
    get { domain.registrationDomains }
    set { domain.registrationDomains = newValue }
  }

  /// What an account may do whose owner has not confirmed its address.
  public var confirmation: ConfirmationMode {
    get { ConfirmationMode(domain.confirmation) }
    set { domain.confirmation = newValue.confirmation }
  }

  /// Milliseconds for which the link is good that confirms an address.
  public var confirmationLifetime: Int64 {
    get { domain.confirmationLifetime }
    set { domain.confirmationLifetime = newValue }
  }

  /// Links to confirm its address that one mailbox is sent in a day.
  public var confirmations: Int {
    get { domain.confirmations }
    set { domain.confirmations = newValue }
  }

  /// After how many days an account whose address was never confirmed is deleted; 0 for never.
  public var unconfirmedDays: Int {
    get { domain.unconfirmedDays }
    set { domain.unconfirmedDays = newValue }
  }

  /// Whether a new account waits for an administrator's approval, unless an API key says otherwise.
  public var needsApproval: Bool {
    get { domain.needsApproval }
    set { domain.needsApproval = newValue }
  }

  /// After how many days an account that nobody approved is deleted; 0 for never.
  public var pendingDays: Int {
    get { domain.pendingDays }
    set { domain.pendingDays = newValue }
  }

  /// The address of whoever approves accounts, who is sent a mail when one waits; empty for nobody.
  public var approver: String {
    get { domain.approver }
    set { domain.approver = newValue }
  }

  /// What is wrong with these settings, each with a cure.
  func registrationProblems() -> [String] {
    var problems: [String] = []
    if registration == .domain && registrationDomains.isEmpty {
      problems.append(
        "registration.domains: registration is 'domain', but there is none; write domains like example.com,example.org")
    }
    if !approver.isEmpty, MailAddress(approver) == nil {
      problems.append("registration.approval.to: '\(approver)' is no address for mails; write one, or leave it out")
    }
    if !approver.isEmpty, mail.server.isEmpty && !isDevelopment {
      problems.append("registration.approval.to: no mails are sent; set mail.smtp and mail.from, or leave it out")
    }
    if confirmation != .off {
      if mail.server.isEmpty && !isDevelopment {
        problems.append(
          "registration.confirm: it is '\(confirmation.rawValue)', but no mails are sent; set mail.smtp and mail.from, or "
            + "write off")
      }
      if publicURL.isEmpty {
        problems.append("registration.confirm: the mails hold links; set public.url, or write off")
      }
    }
    if !publicURL.isEmpty, publicURL.hasSuffix("/") || URL(string: publicURL)?.host() == nil {
      problems.append("public.url: '\(publicURL)' must be like https://chat.example.com, without a slash at the end")
    }
    return problems
  }
}
