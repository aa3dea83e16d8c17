import Foundation

public struct RegistrationSettings: Sendable {
  /// An API key may have a different mode.
  public var mode = setting(
    "registration", Registration.open, .word, "who may create an account: open (all), invite, domain or closed (none)",
    .live)
  /// In lower case.
  public var domains: Set<String> = setting(
    "registration.domains", [], .domains,
    "with registration=domain: e-mail domains that may create accounts: example.com,example.org",
    .live)
  public var confirmation = setting(
    "registration.confirm", AddressConfirmation.off, .word,
    "what an account may do before its address is confirmed by mail: off (everything), limited, or required (it cannot sign in)"
  )
  public var confirmationLifetime: Int64 = setting(
    "registration.confirm.lifetime", 24 * 3_600_000, .seconds(60...2_592_000),
    "seconds a confirmation link is valid")
  public var confirmationMails = setting(
    "registration.confirm.mails", 5, .integer(1...100), "confirmation links sent to one mailbox in a day")
  public var unconfirmedDays = setting(
    "registration.confirm.days", 7, .integer(0...3650),
    "days after which an unconfirmed account is deleted; 0 for never")
  /// An API key may have a different rule.
  public var needsApproval = setting(
    "registration.approval", false, .flag, "whether new accounts wait for an administrator's approval")
  public var pendingDays = setting(
    "registration.approval.days", 30, .integer(0...3650),
    "days after which an unapproved account is deleted; 0 for never")
  public var approver = setting(
    "registration.approval.to", "", .text, "address that gets a mail when an account waits for approval; empty for none"
  )

  public init() {}
}

extension SettingForm where Value == Set<String> {
  fileprivate static var domains: Self {
    Self(
      "write domains like example.com,example.org, each in full",
      read: { text in
        let domains = text.split(separator: ",").map { $0.trimmingCharacters(in: .whitespaces).lowercased() }
        return domains.allSatisfy(isDomain) ? Set(domains) : nil
      }, write: { $0.sorted().joined(separator: ",") })
  }
}

private func isDomain(_ text: String) -> Bool {
  text.contains(".") && !text.split(separator: ".", omittingEmptySubsequences: false).contains("")
    && !text.contains { "@*".contains($0) || $0.isWhitespace }
}

/// Who may sign up.
public enum Registration: String, CaseIterable, Sendable {
  /// Every client with an API key.
  case open
  /// Owners of invited addresses.
  case invite
  /// Owners of invited addresses and of addresses in the configured domains.
  case domain
  case closed
}

/// What an account may do before its address is confirmed.
public enum AddressConfirmation: String, CaseIterable, Sendable {
  /// Everything; confirmation is not requested.
  case off
  /// Only operations on the account itself.
  case limited
  /// Only operations on the account itself, and only in the session of the sign-up; further sign-ins need the confirmation.
  case required
}

/// Whether a new account waits for an administrator's approval.
package enum Approval: String, CaseIterable, Sendable {
  case on, off
}
