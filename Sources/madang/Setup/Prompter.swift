import Foundation
import MadangCore

/// Asks questions in a terminal, each until its answer is valid. Tests answer instead of a person.
struct Prompter {
  /// Shows a text and returns the line that is typed after it; nil at the end of the input.
  var line: (String) -> String? = { text in
    Terminal.prompt(text)
    return readLine(strippingNewline: true)
  }
  /// The same, without echo.
  var secret: (String) throws -> String
  var say: (String) -> Void = Terminal.message

  /// - Parameters:
  ///   - standard: The answer of an empty line, which is shown in brackets.
  ///   - mayBeEmpty: Whether `none` is an answer.
  ///   - problem: What is wrong with an answer; nil if nothing is.
  func ask(
    _ question: String, standard: String, mayBeEmpty: Bool = false, problem: (String) -> String? = { _ in nil }
  ) throws -> String {
    while true {
      let shown = standard.isEmpty && mayBeEmpty ? "none" : standard
      guard let typed = line(question + (shown.isEmpty ? ": " : " [\(shown)]: ")) else { throw Self.ended }
      let text = typed.trimmingCharacters(in: .whitespaces)
      let answer = text.isEmpty ? standard : mayBeEmpty && text == "none" ? "" : text
      if answer.isEmpty, !mayBeEmpty { continue }
      guard let words = problem(answer) else { return answer }
      say("  " + words)
    }
  }

  func confirm(_ question: String, standard: Bool) throws -> Bool {
    while true {
      guard let typed = line("\(question) [\(standard ? "Y/n" : "y/N")] ") else { throw Self.ended }
      switch typed.trimmingCharacters(in: .whitespaces).lowercased() {
      case "": return standard
      case "y", "yes": return true
      case "n", "no": return false
      default: say("  write y or n")
      }
    }
  }

  private static let ended = Failure("the input ended before the last question; nothing was changed")
}

extension SetupAnswers {
  /// Asks what the flags do not say. These answers are the defaults.
  /// - Parameter given: The names of settings that flags answer.
  mutating func ask(_ prompter: Prompter, except given: Set<Question>, name: String) throws {
    func isAsked(_ question: Question) -> Bool { !given.contains(question) }
    if isAsked(.title) {
      title = try prompter.ask(
        "Name of this installation, for pages and mails", standard: title.isEmpty ? "Madang" : title,
        problem: AnswerRules.problem(ofTitle:))
    }
    if isAsked(.registration) {
      let words = ["invite", "domain", "open"]
      prompter.say(
        "invite: people you invite; domain: people with an address of your domains; open: everyone with the app")
      let text = try prompter.ask("Who may make an account: invite, domain or open?", standard: registration.rawValue) {
        words.contains($0) || $0 == registration.rawValue ? nil : "write invite, domain or open"
      }
      registration = Registration(rawValue: text) ?? registration
    }
    if registration == .domain, isAsked(.domains) {
      domains = try prompter.ask(
        "Domains of e-mail addresses, with commas", standard: domains, problem: AnswerRules.problem(ofDomains:))
    }
    if isAsked(.email) {
      email = try prompter.ask(
        "Your e-mail address, for the certificate authority and alarms", standard: email, mayBeEmpty: true,
        problem: AnswerRules.problem(ofEmail:))
    }
    if isAsked(.mail) { try askMail(prompter) }
    if isAsked(.chat) {
      hasChat = try prompter.confirm("Chat in the browser at https://\(name)/?", standard: hasChat)
    }
    if isAsked(.console) {
      hasConsole = try prompter.confirm(
        "Administrator's console at https://\(name)/admin/?", standard: hasConsole)
    }
  }

  private mutating func askMail(_ prompter: Prompter) throws {
    let server = try prompter.ask(
      "Mail server, like smtp://mail.example.com:587", standard: mail?.server ?? "", mayBeEmpty: true,
      problem: AnswerRules.problem(ofServer:))
    guard !server.isEmpty else {
      mail = nil
      return
    }
    var answer = mail ?? MailAnswers(server: server, user: "", password: "", sender: email)
    answer.server = server
    answer.sender = try prompter.ask(
      "Sender's address of mails", standard: answer.sender, problem: AnswerRules.problem(ofSender:))
    answer.user = try prompter.ask("User at the mail server", standard: answer.user, mayBeEmpty: true)
    if !answer.user.isEmpty {
      let typed = try prompter.secret("Password\(answer.password.isEmpty ? "" : " (empty: as before)"): ")
      if !typed.isEmpty { answer.password = typed }
    }
    mail = answer
  }

  /// A question, and the flag that answers it.
  enum Question: String, CaseIterable {
    case title, registration, domains, email, mail, chat, console

    /// The flags, as an error names them.
    var flags: String {
      switch self {
      case .title: "--title"
      case .registration: "--registration"
      case .domains: "--domains"
      case .email: "--email"
      case .mail: "--smtp or --no-mail"
      case .chat: "--chat or --no-chat"
      case .console: "--console or --no-console"
      }
    }
  }
}
