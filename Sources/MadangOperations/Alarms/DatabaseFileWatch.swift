import Logging
import MadangAPI
import MadangCore
import ServiceLifecycle
import Storage

/// Checks regularly whether the embedded database's file is still the one that the server has open. If not, writes are
/// refused and administrators are notified: in the log, and by mails that do not use the database.
package struct DatabaseFileWatch: ServiceLifecycle.Service {
  private let madang: Madang
  private let settings: ServerSettings
  private let mails: (any MailSender)?

  /// - Parameter mails: Nil if no mails are sent.
  package init(_ madang: Madang, _ settings: ServerSettings, mails: (any MailSender)?) {
    (self.madang, self.settings, self.mails) = (madang, settings, mails)
  }

  package func run() async throws {
    guard settings.database.url == nil else { return }
    let state = State()
    await every(settings.database.fileInterval, by: madang.clock) { await look(state) }
  }

  /// The notifications about the present problem.
  private actor State {
    var problem: String?
    /// Administrators whose mail was accepted.
    var told: Set<String> = []

    /// Whether the problem is new.
    func set(_ problem: String?) -> Bool {
      guard problem != self.problem else { return false }
      (self.problem, told) = (problem, [])
      return true
    }

    func tell(_ recipient: String) { told.insert(recipient) }
  }

  private func look(_ state: State) async {
    let problem = madang.database.fileProblem
    let isNew = await state.set(problem)
    guard let problem else {
      if isNew { madang.logger.notice("the database file is in its place again; writes are accepted again") }
      return
    }
    if isNew { madang.logger.critical("writes are refused", metadata: ["reason": "\(problem)"]) }
    guard let mails else { return }
    for recipient in settings.alarms.recipients where await !state.told.contains(recipient) {
      let subject = "The database file was replaced"
      let mail = Mail(
        .alarm, to: recipient, subject: subject, body: "\(subject), at \(settings.publicURL):\n\n\(problem)\n")
      do {
        try await mails.send(ClaimedMail(id: 0, mail: mail, createdAt: madang.clock.now, attempt: 1))
        await state.tell(recipient)
      } catch {
        madang.logger.warning("an alarm cannot be sent", metadata: ["reason": "\(String(reflecting: error))"])
      }
    }
  }
}
