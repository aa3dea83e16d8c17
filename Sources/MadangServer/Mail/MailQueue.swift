import Logging
import MadangCore
import MadangOperations
import MadangProviders
import ServiceLifecycle
import Storage
import Synchronization

/// Sends mails in the background, after the commit that queued them.
///
/// Mails wait in the database, so that a stopping server loses none. The server that has claimed a mail sends it. A mail
/// may be sent twice if a server or its database ends between sending and recording it.
final class MailQueue: ServiceLifecycle.Service {
  private let madang: Madang
  /// Nil if mails are off.
  private let sender: (any MailSender)?
  private let settings: MailSettings
  private let metrics: Metrics
  private let stopPatience: Duration
  private let wakes = Wakes()
  private let underWay = Atomic(0)

  /// How often to look for mails that are due again or were queued by another process.
  private static let interval: Duration = .seconds(5)
  /// How often a mail with unknown outcome is sent: its recipient may get it that often.
  private static let maxUnanswered = 3

  /// - Parameter stopPatience: How long a stopping server waits for the database to record that a mail may be sent at once.
  init(
    madang: Madang, sender: (any MailSender)?, settings: MailSettings, metrics: Metrics,
    stopPatience: Duration = .seconds(2)
  ) {
    (self.madang, self.sender, self.settings, self.metrics) = (madang, sender, settings, metrics)
    self.stopPatience = stopPatience
  }

  /// A mail was queued. Returns at once.
  func mailQueued() { wakes.wake() }

  func run() async throws {
    guard let sender else {
      // Mails that wait since mails were on are still dropped in time.
      return await every(Self.interval, by: madang.clock) { [self] in await tidy() }
    }
    await withDiscardingTaskGroup { group in
      group.addTask { [self] in
        await every(Self.interval, by: madang.clock) { [self] in
          await tidy()
          wakes.wake()
        }
      }
      await wakes.run {
        await attempt {
          while !Task.isShuttingDownGracefully {
            let limit = settings.parallelSends - underWay.load(ordering: .relaxed)
            guard limit > 0 else { break }
            let claimed = try await madang.claimMails(limit: limit, for: claim)
            guard !claimed.isEmpty else { break }
            for mail in claimed {
              underWay.add(1, ordering: .relaxed)
              group.addTask { [self] in
                await attempt { try await send(mail, by: sender) }
                underWay.subtract(1, ordering: .relaxed)
                wakes.wake()
              }
            }
          }
        }
      }
    }
  }

  private func tidy() async {
    await attempt {
      metrics.mail(.expired, try await madang.dropMails())
      metrics.setMailsWaiting(try await madang.waitingMails(), oldest: try await madang.oldestMail())
    }
  }

  /// How long a claim is valid, in milliseconds: longer than sending a mail takes.
  private var claim: Int64 { Int64(settings.timeout) * 2000 + Int64(settings.answerTimeout) * 1000 + 10_000 }

  private func send(_ claimed: ClaimedMail, by sender: any MailSender) async throws {
    // Continues while the server stops: a mail that the mail server has accepted would be sent twice.
    do { try await sender.send(claimed) } catch let refused as MailRefused {
      metrics.mail(.refused)
      if refused.isByServer { metrics.troubles.worked(.mails) }
      return try await giveUp(claimed, refused.reason)
    } catch {
      let unanswered = error as? MailUnanswered
      let reason =
        unanswered?.reason ?? (error as? SMTPSender.NotTaken)?.description ?? networkWords(error)
      let isTooOften = unanswered != nil && claimed.unanswered + 1 >= Self.maxUnanswered
      // The server stops, which is not a failure of the mail: the next server sends it at once.
      if !isTooOften, Task.isCancelled || Task.isShuttingDownGracefully {
        return try await giveBack(claimed, isUnanswered: unanswered != nil)
      }
      metrics.troubles.failed(.mails, because: reason, now: madang.clock.now)
      guard !isTooOften, claimed.attempt < settings.attempts else {
        metrics.mail(.expired)
        return try await giveUp(claimed, reason)
      }
      metrics.mail(.putOff)
      log(claimed, "a mail was not accepted and will be tried again", reason)
      return try await madang.putOff(
        claimed, for: pause(after: claimed.attempt), isUnanswered: unanswered != nil, because: reason)
    }
    metrics.mail(.sent)
    metrics.troubles.worked(.mails)
    try await finish(claimed)
  }

  /// Lets another server send the mail. This task may be cancelled and can then no longer write, so another task writes,
  /// and this one waits for it because the database is closed afterwards.
  private func giveBack(_ claimed: ClaimedMail, isUnanswered: Bool) async throws {
    let task = Task { try await madang.putOff(claimed, for: 0, isUnanswered: isUnanswered, because: nil) }
    let end = Task {
      try await Task.sleep(for: stopPatience)
      task.cancel()
    }
    defer { end.cancel() }
    try await task.value
  }

  /// Retries while the claim is valid: a mail that was sent but not recorded as sent is sent twice.
  private func finish(_ claimed: ClaimedMail) async throws {
    let end = madang.clock.steady + claim
    var pause: Duration = .seconds(1)
    while true {
      do { return try await madang.finish(claimed) } catch let error as StorageError {
        guard madang.clock.steady < end else { throw error }
      }
      try await madang.clock.sleep(for: pause)
      pause = min(pause * 2, .seconds(20))
    }
  }

  private func giveUp(_ claimed: ClaimedMail, _ reason: String) async throws {
    log(claimed, "a mail was given up", reason)
    try await finish(claimed)
  }

  /// Logs neither the text, which has secrets, nor the address, which is personal.
  private func log(_ claimed: ClaimedMail, _ words: String, _ reason: String) {
    madang.logger.warning(
      "\(words)",
      metadata: [
        "mail": "\(claimed.id)", "kind": "\(claimed.mail.kind)", "attempt": "\(claimed.attempt)", "reason": "\(reason)",
      ])
  }

  /// In milliseconds.
  private func pause(after attempt: Int) -> Int64 {
    min(Int64(settings.pause) * 1000 << Int64(min(max(attempt, 1) - 1, 16)), Madang.longestMailPause)
  }

  private func attempt(_ body: () async throws -> Void) async {
    do { try await body() } catch is CancellationError {} catch {
      madang.logger.warning("mails could not be sent", metadata: ["error": "\(String(reflecting: error))"])
    }
  }
}
