import Foundation
import MadangServer

extension Setting {
  static let accounts: [Setting] = [
    integer(
      "password.memory", "KiB that hashing a password takes (Argon2id)", \.settings.passwordMemory, 8...4_194_304),
    integer("password.passes", "how often hashing passes over that memory", \.settings.passwordPasses, 1...1000),
    integer(
      "password.threads",
      "threads that hash passwords; 0 for one less than there are processors, from one to three",
      \.settings.hashingThreads, 0...64),
    integer(
      "password.resets", "links for another password that one account is sent in an hour", \.settings.passwordResets,
      1...1000
    ).live,
    integer(
      "password.resets.address",
      "links one network address may cause in an hour, on pages and by signing up; 0 for any number",
      \.settings.passwordResetsPerAddress),
    integer(
      "sessions.account",
      "sessions that one account may have; with one more, the one not refreshed for longest ends; 0 for any number",
      \.settings.accountSessions
    ).live,
    Setting(
      key: "registration", help: "who may make an account: open, invite, domain or closed",
      read: { text, loaded throws(Invalid) in
        guard let mode = RegistrationMode(rawValue: text) else {
          throw Invalid(cure: "write open, invite, domain or closed")
        }
        loaded.settings.registration = mode
      }, show: { $0.settings.registration.rawValue }
    ).live,
    Setting(
      key: "registration.domains", help: "domains of e-mail addresses that may make one: example.com,example.org",
      read: { text, loaded throws(Invalid) in
        let domains = text.split(separator: ",").map { $0.trimmingCharacters(in: .whitespaces).lowercased() }
        for domain in domains
        where domain.split(separator: ".", omittingEmptySubsequences: false).contains("") || !domain.contains(".")
          || domain.contains(where: { "@*".contains($0) || $0.isWhitespace })
        {
          throw Invalid(cure: "write domains like example.com,example.org, each in full")
        }
        loaded.settings.registrationDomains = Set(domains)
      }, show: { $0.settings.registrationDomains.sorted().joined(separator: ",") }
    ).live,
    Setting(
      key: "registration.confirm",
      help:
        "what an account may do before its address is confirmed by mail: off (all), limited or required (to sign in)",
      read: { text, loaded throws(Invalid) in
        guard let mode = ConfirmationMode(rawValue: text) else {
          throw Invalid(cure: "write off, limited or required")
        }
        loaded.settings.confirmation = mode
      }, show: { $0.settings.confirmation.rawValue }),
    milliseconds(
      "registration.confirm.lifetime", "seconds the link that confirms an address is good",
      \.settings.confirmationLifetime, 60...2_592_000),
    integer(
      "registration.confirm.mails", "such links that one mailbox is sent in a day", \.settings.confirmations, 1...100),
    integer(
      "registration.confirm.days", "days after which an account that nobody confirmed is deleted; 0 for never",
      \.settings.unconfirmedDays, 0...3650),
    flag(
      "registration.approval", "whether new accounts wait for an administrator's approval", \.settings.needsApproval),
    integer(
      "registration.approval.days", "days after which an account that nobody approved is deleted; 0 for never",
      \.settings.pendingDays, 0...3650),
    text("registration.approval.to", "address that is sent a mail when one waits; empty for none", \.settings.approver),
    text("accounts.deleted.name", "what people are called whose account was deleted", \.settings.deletedNickname).live,
    flag(
      "accounts.delete.with.provider", "whether accounts are deleted with those at Apple or Kakao they sign in with",
      \.settings.deletesWithProvider
    ).live,
    integer("audit.days", "days entries of the audit log are kept; 0 for ever", \.settings.auditDays, 0...36_500).live,
    integer(
      "audit.refusals.kept", "entries about failed sign-ins that are kept, the newest", \.settings.auditRefusals,
      0...100_000_000
    ).live,
    integer(
      "audit.refusals.minute", "failed sign-ins in a minute with an entry of their own; others are counted",
      \.settings.auditRefusalsPerMinute, 0...10_000),
    text("audit.file", "file to which entries are added as lines of JSON; empty for none", \.settings.auditFile),
    flag("audit.syslog", "whether entries are sent to the system's log (/dev/log)", \.settings.auditGoesToSyslog),
    integer(
      "audit.waiting", "entries that may wait for the file, and for the system's log; more are not sent there",
      \.settings.auditWaiting, 1...1_000_000),
    secret(
      "tokens.key", "signs access tokens, the same on all servers of a database; empty for one that the database keeps",
      \.settings.tokenKey),
    milliseconds("tokens.access", "seconds an access token lives", \.settings.accessTokenLifetime),
    milliseconds("tokens.refresh", "seconds a refresh token lives", \.settings.refreshTokenLifetime),
  ]
}
