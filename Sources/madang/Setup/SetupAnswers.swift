import MadangCore
import MadangOperations

/// What only the operator knows.
struct SetupAnswers: Equatable {
  /// The name of the installation; empty for Madang.
  var title = ""
  var registration = Registration.invite
  /// With ``Registration/domain``: domains, with commas between them.
  var domains = ""
  /// For the certificate authority and for alarms; may be empty.
  var email = ""
  /// Nil for none.
  var mail: MailAnswers?
  var hasChat = true
  var hasConsole = true

  init() {}

  /// The present settings, as defaults.
  init(of file: SettingsFile) {
    title = file.text("web.name") ?? ""
    registration = file.text("registration").flatMap(Registration.init) ?? .invite
    domains = file.text("registration.domains") ?? ""
    email = file.text("tls.acme.email") ?? file.text("alarms.to") ?? ""
    if let server = file.text("mail.smtp"), !server.isEmpty {
      mail = MailAnswers(
        server: server, user: file.text("mail.user") ?? "", password: file.text("mail.password") ?? "",
        sender: file.text("mail.from") ?? "")
    }
    hasChat = file.text("web.chat") != "false"
    hasConsole = file.text("web.admin") != "false"
  }
}

/// A mail server, and how to sign in to it.
struct MailAnswers: Equatable {
  /// `smtp://HOST:PORT` or `smtps://HOST:PORT`.
  var server: String
  /// Empty without sign-in.
  var user: String
  var password: String
  var sender: String
}

/// Rules for answers, for questions and for flags. Each returns what is wrong, with a cure; nil if nothing is.
enum AnswerRules {
  static func problem(ofTitle text: String) -> String? { complaint(["web.name": text]) }

  static func problem(ofDomains text: String) -> String? {
    complaint(["registration": "domain", "registration.domains": text])
  }

  static func problem(ofEmail text: String) -> String? {
    guard !text.isEmpty else { return nil }
    let settings = ["alarms.to": text, "mail.smtp": "smtp://localhost", "mail.from": "chat@example.com"]
    if let complaint = complaint(settings) { return complaint }
    guard let domain = text.split(separator: "@").last, domain != "localhost", !domain.contains(".") else { return nil }
    return "'\(text)' has no domain like example.com after the @"
  }

  static func problem(ofServer text: String) -> String? {
    guard !text.isEmpty else { return nil }
    return complaint(["mail.smtp": text, "mail.from": "chat@example.com"])
  }

  static func problem(ofSender text: String) -> String? {
    complaint(["mail.smtp": "smtp://localhost", "mail.from": text])
  }

  /// The mistakes that the server would name.
  private static func complaint(_ settings: [String: String]) -> String? {
    // Mails need it for links.
    let all = settings.merging(["public.url": "https://chat.example.com"]) { $1 }
    do {
      _ = try LoadedSettings(all.mapValues { WrittenSetting($0, from: "the answer") })
      return nil
    } catch {
      return (error as? SetupError)?.description ?? "\(error)"
    }
  }

  /// The DNS name in the answer, which may be the URL of a page, or a name with a final dot.
  static func name(in text: String) -> String {
    let name = text.lowercased().replacing(/^https?:\/\//, with: "").prefix { $0 != "/" }
    return String(name.hasSuffix(".") ? name.dropLast() : name)
  }

  /// Whether a DNS name can be served. An international name must be in its DNS form (xn--...).
  static func problem(ofName name: String) -> String? {
    guard !isDomainName(name) || !name.contains(".") else { return nil }
    return
      "'\(name)' is not the DNS name of a server: write one like chat.example.com, an international name in its DNS form (xn--...)"
  }
}
