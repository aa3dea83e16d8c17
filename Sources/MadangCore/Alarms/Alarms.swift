import Storage

extension Madang {
  /// Mails administrators when an alarm starts and when it is over, and repeats open alarms every ``AlarmSettings/hours``. If several
  /// servers find the same condition, one of them mails. The alarms of conditions that are missing in `findings` stay unchanged.
  /// - Parameter server: The name of this server.
  package func tell(_ findings: [AlarmKind: AlarmFinding], of server: String) async throws {
    guard settings.sendsMail, !settings.alarms.recipients.isEmpty else { return }
    let every = Int64(settings.alarms.hours) * 3_600_000
    let known = try await database.read { try $0.alarms() }
    for (kind, finding) in findings.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
      let place = kind.isOfServer ? server : ""
      let alarm = known.first { $0.kind == kind.rawValue && $0.place == place }
      do {
        switch finding {
        case .wrong(let message, let cure):
          if let alarm, abs(clock.now - alarm.toldAt) < every { continue }
          try await database.write(ignoresStop: true) { [self] transaction in
            let now = clock.now
            guard try transaction.claimAlarm(kind, at: place, now: now, every: every) else { return }
            let next =
              "You get a mail every \(settings.alarms.hours) hours (alarms.every) while the problem lasts, and one when it has been over "
              + "for a while."
            try send(
              kind, kind.words, "\(message)\n\nWhat to do: \(cure)\n\n\(next)", at: place, in: transaction)
          }
        case .right:
          // Wait before closing: a condition that comes and goes would cause a mail at each check.
          guard let alarm, abs(clock.now - alarm.toldAt) >= Self.alarmCalm else { continue }
          try await database.write(ignoresStop: true) { [self] transaction in
            guard try transaction.endAlarm(kind, at: place) else { return }
            try send(
              kind, "Solved: \(kind.words)", "The problem is over. There is nothing to do.", at: place, in: transaction)
          }
        }
      } catch let leftOut as MailLeftOut {
        // No mail was queued; the next check tries again.
        announce(.mailLeftOut(leftOut.reason))
      }
    }
    // Mails about an open alarm are repeated sooner than this. An older alarm belongs to a condition that is no longer checked.
    let old = clock.now - 2 * every
    guard known.contains(where: { $0.toldAt < old }) else { return }
    try await database.write(ignoresStop: true) { try $0.deleteAlarms(toldBefore: old) }
  }

  /// How long after an alarm's last mail no "Solved" mail is sent, in milliseconds.
  package static let alarmCalm: Int64 = 3_600_000

  /// Throws ``MailLeftOut`` if none of the mails can be queued.
  private func send(
    _ kind: AlarmKind, _ subject: String, _ text: String, at place: String, in transaction: Transaction
  ) throws {
    let server = place.isEmpty ? "" : ", server \(place)"
    var failure: MailLeftOut?
    var isTold = false
    for recipient in settings.alarms.recipients {
      let mail = Mail(
        .alarm, to: recipient, subject: subject,
        body: """
          \(subject), at \(settings.publicURL)\(server):

          \(text)

          """)
      do {
        try queue(mail, of: nil, expiresAt: clock.now + Self.noticeLifetime, in: transaction)
        isTold = true
      } catch let leftOut as MailLeftOut { failure = leftOut }
    }
    if let failure, !isTold { throw failure }
  }

  /// How many failed sign-ins the audit log has for the last hour, counted up to `limit`.
  package func refusedSignIns(limit: Int) async throws -> Int {
    try await database.read { [since = clock.now - 3_600_000] in
      try $0.auditCount(of: .signInRefused, since: since, limit: limit)
    }
  }
}
