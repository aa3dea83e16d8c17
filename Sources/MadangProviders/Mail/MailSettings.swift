import Foundation
import MadangCore

/// Sending of mails. Without ``server`` no mails are sent.
public struct MailSettings: Sendable {
  /// Whether a connection must be encrypted before anything is sent over it.
  public enum TLS: String, CaseIterable, Sendable {
    /// Always, except to this machine.
    case auto
    case required
    /// Never: mails and the password are sent without encryption.
    case off
  }

  public var server = setting(
    "mail.smtp", "", .text, "mail server: smtp://HOST:587 or smtps://HOST:465; empty to send no mails")
  public var user = setting(
    "mail.user", "", .text, "user name at the mail server; empty if it needs none")
  public var password = setting("mail.password", "", .text, "password of that user", .secret)
  public var oauth = MailOAuthSettings()
  public var from = setting("mail.from", "", .text, "sender address of mails")
  public var name = setting("mail.name", "", .text, "sender name of mails; empty for web.name, or else Madang")
  public var tls = setting(
    "mail.tls", TLS.auto, .word, "whether smtp:// is encrypted: auto (except to this machine), required or off")
  public var authorities = setting(
    "mail.tls.authorities", "", .text,
    "PEM file of certificate authorities trusted for the mail server, in addition to the system's; empty for none")
  public var timeout = setting(
    "mail.timeout", 30, .seconds(1...600),
    "seconds for connecting to the mail server, and as many for the dialogue that follows")
  public var answerTimeout = setting(
    "mail.answer", 600, .seconds(1...1800), "seconds the mail server may take to accept a mail")
  public var pause = setting(
    "mail.pause", 30, .seconds(1...3600),
    "seconds before the first retry of a mail; doubled at each retry, up to an hour")
  public var attempts = setting("mail.attempts", 20, .integer(1...1000), "attempts to send one mail")
  /// Milliseconds. A mail whose link expires earlier is dropped then.
  public var lifetime: Int64 = setting(
    "mail.lifetime", 2 * 24 * 3_600_000, .seconds, "seconds after which a waiting mail is dropped")
  /// The number of mails that are sent in parallel.
  public var parallelSends = 4

  public init() {}

  /// The mail server; nil if none is set, or the text is not the URL of one.
  package var endpoint: SMTPEndpoint? { SMTPEndpoint(server, tls) }

  /// Problems of these settings, each with a cure.
  package func problems(publicURL: String) -> [String] {
    guard !server.isEmpty else { return [] }
    var problems: [String] = []
    if endpoint == nil {
      // Not shown, because some people write their password into it.
      problems.append(
        "mail.smtp: must be like smtp://mail.example.com:587 or smtps://mail.example.com:465, without a path; user and password "
          + "are mail.user and mail.password")
    }
    if MailAddress(from) == nil {
      problems.append("mail.from: '\(from)' must be the address that mails come from, like chat@example.com")
    }
    if name.utf8.count > 200 { problems.append("mail.name: must have 200 bytes or fewer") }
    problems += oauth.problems(user: user, password: password)
    if !oauth.isUsed, user.isEmpty != password.isEmpty {
      problems.append(
        "mail.user: user and mail.password belong together; set both, or neither if the mail server needs no sign-in")
    }
    if publicURL.isEmpty {
      problems.append("public.url: mails need it for links; set it, like https://chat.example.com")
    }
    if !authorities.isEmpty {
      do { _ = try TrustedAuthorities.read(authorities, named: "mail.tls.authorities") } catch {
        problems.append(error.description)
      }
    }
    return problems
  }
}

/// A mail server.
package struct SMTPEndpoint: Sendable, Equatable {
  package enum Security: Sendable {
    case startTLS, implicitTLS, none
  }

  package let host: String
  let port: Int
  package let security: Security

  init?(_ url: String, _ tls: MailSettings.TLS) {
    guard let parts = URLComponents(string: url), let host = parts.host, !host.isEmpty, parts.path.isEmpty,
      parts.user == nil, parts.query == nil, parts.fragment == nil, (1...65535).contains(parts.port ?? 25)
    else { return nil }
    self.host = host.hasPrefix("[") && host.hasSuffix("]") ? String(host.dropFirst().dropLast()) : host
    switch parts.scheme {
    case "smtps":
      port = parts.port ?? 465
      security = .implicitTLS
    case "smtp":
      port = parts.port ?? 587
      security =
        switch tls {
        case .auto: isLoopback(self.host) ? .none : .startTLS
        case .required: .startTLS
        case .off: .none
        }
    default: return nil
    }
  }
}
