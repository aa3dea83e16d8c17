import Logging
import MadangAPI
import MadangCore
import ServiceLifecycle
import Storage

/// Looks once in a while whether the embedded database's file is still the one that the server has open. If not, nothing is
/// written any more, and administrators are told: in the log, and by mails that do not go through the database.
struct DatabaseFileWatch: ServiceLifecycle.Service {
  let service: Service
  /// Nil where no mails are sent.
  let mails: (any MailSender)?

  private var clock: Clock { service.madang.clock }

  func run() async throws {
    guard service.settings.database.url == nil else { return }
    let state = State()
    await every(service.settings.database.fileInterval, by: clock) { await look(state) }
  }

  /// What was told of what is wrong now.
  private actor State {
    var problem: String?
    /// Administrators whose mail was taken.
    var told: Set<String> = []

    /// Whether that is news.
    func set(_ problem: String?) -> Bool {
      guard problem != self.problem else { return false }
      (self.problem, told) = (problem, [])
      return true
    }

    func tell(_ recipient: String) { told.insert(recipient) }
  }

  private func look(_ state: State) async {
    let problem = service.madang.database.fileProblem
    let isNew = await state.set(problem)
    guard let problem else {
      if isNew { service.logger.notice("the database's file is the one that is open again; writes go on") }
      return
    }
    if isNew { service.logger.critical("writes are refused", metadata: ["reason": "\(problem)"]) }
    guard let mails else { return }
    for recipient in service.settings.alarms.recipients where await !state.told.contains(recipient) {
      let subject = "The database file was exchanged"
      let mail = Mail(
        .alarm, to: recipient, subject: subject, body: "\(subject), at \(service.settings.publicURL):\n\n\(problem)\n")
      do {
        try await mails.send(ClaimedMail(id: 0, mail: mail, createdAt: clock.now, attempt: 1))
        await state.tell(recipient)
      } catch {
        service.logger.warning("an alarm cannot be sent", metadata: ["reason": "\(String(reflecting: error))"])
      }
    }
  }
}
