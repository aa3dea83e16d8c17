import ArgumentParser
import Foundation
import MadangCore
import MadangOperations

/// The way from a name to a server that runs: questions and checks, which change nothing, then the work.
struct Setup {
  struct Options {
    let skipsDNS: Bool
    let isForced: Bool
  }

  let machine: Machine
  let name: String
  let front: SetupFront
  /// The roots of a private authority, in PEM, and the file that they come from.
  let roots: (bytes: Data, file: String)?
  let options: Options
  /// Nil if no person answers.
  let prompter: Prompter?
  let say: (String) -> Void

  /// What will be done.
  struct Wanted {
    let plan: SetupPlan
    let record: SetupRecord?

    /// Whether an earlier setup did not end.
    var isResumed: Bool { record?.state == .begun }
  }

  var work: SetupWork { SetupWork(machine: machine, say: say) }

  /// Checks the machine, asks the operator, and plans. Changes nothing.
  /// - Parameters:
  ///   - flags: Answers that are given.
  ///   - takesDefaults: Whether the other answers are the defaults.
  /// - Throws: ``Failure`` if something is not right, or the operator does not agree; `ValidationError` if answers are missing.
  func prepare(answers flags: AnswerOptions, takesDefaults: Bool) throws -> Wanted {
    let isAsked = prompter != nil && !takesDefaults
    if !isAsked, !takesDefaults { try requireAnswers(flags) }
    let file = try machine.readSettings(machine.settingsFile) ?? SettingsFile()
    let record = try SetupRecord(at: machine.recordFile)
    let checks = SetupChecks(machine: machine, front: front, file: file)
    try show(checks.problems())
    try askDNS(checks)

    var answers = SetupAnswers(of: file)
    try flags.apply(to: &answers)
    if isAsked, let prompter { try answers.ask(prompter, except: flags.answered, name: name) }
    let plan = SetupPlan(name, answers, front, hasIPv6: machine.hasIPv6, file: file, record: record)
    try validate(plan)
    try askChanges(plan, isAsked: isAsked)
    return Wanted(plan: plan, record: record)
  }

  func apply(_ wanted: Wanted) throws -> Bool {
    try work.apply(wanted.plan, for: name, record: wanted.record, roots: roots?.bytes)
  }

  private func requireAnswers(_ flags: AnswerOptions) throws {
    var missing = Set(SetupAnswers.Question.allCases).subtracting(flags.answered)
    if flags.registration == nil { missing.remove(.domains) }
    guard !missing.isEmpty else { return }
    let names = SetupAnswers.Question.allCases.filter(missing.contains).map(\.flags)
    throw ValidationError(
      "There is no terminal for the questions: give --yes to take the defaults, or \(names.joined(separator: ", ")).")
  }

  /// Prints problems. Throws if one is not just a warning.
  private func show(_ problems: [SetupProblem]) throws {
    for problem in problems where problem.isWarning { say("warning: \(problem.words)\n    \(problem.cure)") }
    let errors = problems.filter { !$0.isWarning }
    guard errors.isEmpty else {
      throw Failure(
        errors.map { "\($0.words)\n    \($0.cure)" }.joined(separator: "\n") + "\nNothing was changed.")
    }
  }

  private func askDNS(_ checks: SetupChecks) throws {
    guard !options.skipsDNS, let problem = checks.dnsProblem(of: name) else { return }
    let words = "\(problem.words)\n    \(problem.cure)"
    guard let prompter else { throw Failure("\(words)\nNothing was changed; --skip-dns goes on all the same.") }
    say("warning: \(words)")
    guard try prompter.confirm("Go on all the same?", standard: false) else { throw Failure("nothing was changed") }
  }

  /// Throws ``Failure`` if a server would not start with the planned settings.
  private func validate(_ plan: SetupPlan) throws {
    var written = plan.file.written(from: machine.settingsFile)
    // A secret that has a file of its own is not read here.
    for setting in LoadedSettings.declared where setting.isSecret && plan.file.text("\(setting.key).file") != nil {
      written[setting.key] = WrittenSetting(String(repeating: "x", count: 64), from: machine.settingsFile)
    }
    // The server's copy is made later.
    if let roots { written["tls.acme.ca.file"] = WrittenSetting(roots.file, from: "--ca-file") }
    do { _ = try LoadedSettings(written) } catch {
      let words = (error as? SetupError)?.description ?? "\(error)"
      throw Failure("these settings would not be valid, so nothing was changed:\n\(words)")
    }
  }

  private func askChanges(_ plan: SetupPlan, isAsked: Bool) throws {
    let conflicts = plan.conflicts
    if !conflicts.isEmpty, !options.isForced {
      guard isAsked, let prompter else {
        throw Failure(
          "\(machine.settingsFile) has settings of yours that setup would change:\n"
            + conflicts.map { "  " + $0.words }.joined(separator: "\n") + "\nNothing was changed; --force changes them."
        )
      }
      for change in conflicts {
        guard try prompter.confirm("You set \(change.key) yourself. Change it? (\(change.words))", standard: false)
        else {
          throw Failure("nothing was changed")
        }
      }
    }
    guard !plan.changes.isEmpty else { return }
    say("Settings that change in \(machine.settingsFile):")
    for change in plan.changes { say("  " + change.words) }
    if let terms = terms(plan) { say(terms) }
    guard isAsked, let prompter else { return }
    guard try prompter.confirm("Write them and start the server?", standard: true) else {
      throw Failure("nothing was changed")
    }
  }

  /// What the operator agrees to by ordering a certificate.
  private func terms(_ plan: SetupPlan) -> String? {
    guard case .certificate = front else { return nil }
    let place =
      plan.file.text("tls.acme.directory").map { "of the authority of \($0)" }
      ?? "of Let's Encrypt (https://letsencrypt.org/repository/)"
    return "With its certificate you agree to the terms of service \(place)."
  }
}
