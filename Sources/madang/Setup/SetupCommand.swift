import ArgumentParser
import Foundation
import MadangCore
import MadangOperations

struct SetupCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "setup", abstract: "Set up the server that the package installed: name, certificate, backups.",
    usage: """
      madang setup <name> [options]
      madang setup <name> --behind-proxy <address> [options]
      madang setup --undo [--yes]
      """,
    discussion: """
      Run it as root. It asks what it must know, checks DNS, ports, clock and disk, writes /etc/madang/madang.json, starts the \
      server, waits for its certificate, makes backups every night, and prints what people need. Each question has a flag; \
      --yes takes the defaults. Settings that you wrote are changed only if you agree. Run it again at any time: it changes \
      nothing that is right, and does what an interrupted setup left. --undo takes back what it made, except data and certificates.

      Ordering a certificate means that you agree to the terms of service of the authority, Let's Encrypt unless \
      --acme-directory names another.

      Exit status: 0 done, or nothing to change; 1 refused, nothing was changed; 2 the settings are written but not all is \
      done, or the server does not run; 3 it runs, but its certificate is not there yet; 64 wrong usage; 130 ended by Ctrl-C.
      """)

  @Argument(help: ArgumentHelp("The server's DNS name, like chat.example.com.", valueName: "name")) var name: String?
  @OptionGroup var answers: AnswerOptions
  @OptionGroup var confirmation: ConfirmationOption
  @Flag(help: "Change settings that you wrote, too, without a question.") var force = false
  @Flag(help: "Go on although the name's address is not one of this machine, as behind a router.") var skipDNS = false
  @Option(
    help: ArgumentHelp("Another authority than Let's Encrypt: the URL of its ACME directory.", valueName: "url"))
  var acmeDirectory: String?
  @Option(
    help: ArgumentHelp("The roots of a private authority, in PEM. The server gets a copy.", valueName: "file"),
    completion: .file())
  var caFile: String?
  @Option(
    help: ArgumentHelp("No certificate: a proxy at this address has one, and passes calls on.", valueName: "address"))
  var behindProxy: String?
  @Flag(help: "Take back what setup made on this machine.") var undo = false
  @OptionGroup var printing: JSONOption

  mutating func validate() throws {
    if undo { return }
    guard let given = name else { throw ValidationError("Give the server's name, like: madang setup chat.example.com") }
    let name = AnswerRules.name(in: given)
    if let problem = AnswerRules.problem(ofName: name) { throw ValidationError(problem) }
    self.name = name
    if behindProxy != nil, acmeDirectory != nil {
      throw ValidationError("With --behind-proxy the proxy has the certificate: leave out --acme-directory.")
    }
    if let address = behindProxy, IPNetwork(address) == nil {
      throw ValidationError(
        "--behind-proxy: '\(address)' is not an address; for a proxy on this machine write 127.0.0.1")
    }
    if let url = acmeDirectory, !url.hasPrefix("https://") {
      throw ValidationError("--acme-directory: '\(url)' must begin with https://")
    }
  }

  func run() async throws {
    umask(0o077)
    let machine = Machine()
    let interrupt = SetupInterrupt()
    let interrupts = interrupt.source()
    defer { interrupts.cancel() }
    if undo { return try takeBack(machine, interrupt) }
    guard let name else { return }
    let roots = try caFile.map { file in
      guard let bytes = FileManager.default.contents(atPath: file) else {
        throw Failure("--ca-file: \(file) cannot be read; nothing was changed")
      }
      return (bytes: bytes, file: file)
    }
    let secret = { (prompt: String) in try Terminal.readSecret(prompt) { interrupt.end() } }
    let setup = Setup(
      machine: machine, name: name,
      front: behindProxy.map { .proxy(address: $0) }
        ?? .certificate(directory: acmeDirectory, roots: roots.map { _ in machine.authorityFile }),
      roots: roots, options: .init(skipsDNS: skipDNS, isForced: force),
      prompter: isatty(STDIN_FILENO) == 1 && !confirmation.yes ? Prompter(secret: secret) : nil, say: say)
    let wanted = try setup.prepare(answers: answers, takesDefaults: confirmation.yes)
    interrupt.reach(.working)
    let isChanged: Bool
    do { isChanged = try setup.apply(wanted) } catch let error as SetupWork.NotServing {
      Terminal.problem(
        "madang: the server does not run with these settings:\n\(error.words)\ncorrect them in \(machine.settingsFile) and run this "
          + "again, or put the former ones back: madang setup --undo")
      throw ExitCode(2)
    } catch let failure as Failure {
      Terminal.problem("madang: not everything is done: \(failure.message)\nrun this again when that is corrected")
      throw ExitCode(2)
    }
    if !isChanged { say("Nothing to change.") }
    let failedBackup = isChanged ? setup.work.backUp() : nil
    let report: SetupReport
    do {
      var record = try OpenSetupRecord(machine)
      report = try await SetupReport(
        of: setup, changed: wanted.plan.changes.map(\.key), isChanged: isChanged, isResumed: wanted.isResumed,
        failedBackup: failedBackup)
      try report.show(printing.output)
      if let failedBackup { throw Failure(failedBackup) }
      try record?.end()
    } catch {
      let words = (error as? Failure)?.message ?? (error as? SetupError)?.description ?? "\(error)"
      Terminal.problem(
        "madang: the settings are written, but not everything is done: \(words)\nrun this again when that is corrected")
      throw ExitCode(2)
    }
    if !report.hasCertificate { throw ExitCode(3) }
  }

  private func say(_ text: String) {
    if !printing.json { Terminal.message(text) }
  }

  private func takeBack(_ machine: Machine, _ interrupt: SetupInterrupt) throws {
    guard machine.isRoot else { throw Failure("setup changes the system, and you are not root: run it with sudo") }
    guard let undo = try SetupUndo(machine) else { throw Failure("'madang setup' has changed nothing on this machine") }
    say("This will:")
    for line in undo.words { say("  " + line) }
    try confirmation.confirm("Go on?")
    interrupt.reach(.undoing)
    do { try undo.run(say: say) } catch let error as SetupWork.NotServing {
      Terminal.problem("madang: the server does not run with the former settings:\n\(error.words)")
      throw ExitCode(2)
    }
    say("Done. Data, certificates and backups are where they were.")
  }
}

/// The flags of the questions.
struct AnswerOptions: ParsableArguments {
  @Option(help: ArgumentHelp("The name of the installation, for pages and mails.", valueName: "text")) var title:
    String?
  @Option(help: ArgumentHelp("Who may make an account: invite, domain or open.", valueName: "rule"))
  var registration: Registration?
  @Option(help: ArgumentHelp("With the rule 'domain': the domains of e-mail addresses.", valueName: "list"))
  var domains: String?
  @Option(
    help: ArgumentHelp("Your address, for the certificate authority and alarms; may be empty.", valueName: "email"))
  var email: String?
  @Option(help: ArgumentHelp("The mail server: smtp://HOST:587 or smtps://HOST:465", valueName: "url"))
  var smtp: String?
  @Option(help: ArgumentHelp("The sender's address of mails.", valueName: "email")) var mailFrom: String?
  @Option(help: ArgumentHelp("The user at the mail server.", valueName: "user")) var mailUser: String?
  @Option(
    help: ArgumentHelp("Its password: the first line of this file.", valueName: "file"), completion: .file())
  var mailPasswordFile: String?
  @Flag(inversion: .prefixedNo, help: "Whether mails are sent (default: yes with --smtp).") var mail: Bool?
  @Flag(inversion: .prefixedNo, help: "Whether people can chat in the browser (default: yes).") var chat: Bool?
  @Flag(inversion: .prefixedNo, help: "Whether administrators have a console in the browser (default: yes).")
  var console: Bool?

  func validate() throws {
    let problems: [(String, String?)] = [
      ("--title", title.flatMap(AnswerRules.problem(ofTitle:))),
      ("--domains", domains.flatMap(AnswerRules.problem(ofDomains:))),
      ("--email", email.flatMap(AnswerRules.problem(ofEmail:))),
      ("--smtp", smtp.flatMap(AnswerRules.problem(ofServer:))),
      ("--mail-from", mailFrom.flatMap(AnswerRules.problem(ofSender:))),
    ]
    for case (let flag, let problem?) in problems { throw ValidationError("\(flag): \(problem)") }
    if registration == .closed { throw ValidationError("--registration: write invite, domain or open") }
    if registration == .domain, domains == nil { throw ValidationError("--registration domain needs --domains.") }
    if mail == false, smtp != nil { throw ValidationError("Give --smtp or --no-mail, not both.") }
    if smtp == nil, [mailFrom, mailUser, mailPasswordFile].contains(where: { $0 != nil }) {
      throw ValidationError("--mail-from, --mail-user and --mail-password-file belong to --smtp.")
    }
    if smtp != nil, mailFrom == nil { throw ValidationError("--smtp needs --mail-from, the sender's address.") }
    if mailUser != nil, mailPasswordFile == nil { throw ValidationError("--mail-user needs --mail-password-file.") }
  }

  /// Answers by flags replace the defaults.
  func apply(to answers: inout SetupAnswers) throws {
    if let title { answers.title = title }
    if let registration { answers.registration = registration }
    if let domains { answers.domains = domains }
    if let email { answers.email = email }
    if let smtp {
      answers.mail = MailAnswers(
        server: smtp, user: mailUser ?? "", password: try mailPasswordFile.map(PasswordOptions.firstLine(of:)) ?? "",
        sender: mailFrom ?? "")
    }
    if mail == false { answers.mail = nil }
    if let chat { answers.hasChat = chat }
    if let console { answers.hasConsole = console }
  }

  /// The questions that flags answer.
  var answered: Set<SetupAnswers.Question> {
    var answered: Set<SetupAnswers.Question> = []
    if title != nil { answered.insert(.title) }
    if registration != nil { answered.insert(.registration) }
    if domains != nil || registration != nil && registration != .domain { answered.insert(.domains) }
    if email != nil { answered.insert(.email) }
    if smtp != nil || mail == false { answered.insert(.mail) }
    if chat != nil { answered.insert(.chat) }
    if console != nil { answered.insert(.console) }
    return answered
  }
}

extension Registration: ExpressibleByArgument {}
