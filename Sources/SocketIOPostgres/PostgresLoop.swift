import CPostgres
import Foundation
import SocketIOServer

/// The loop of a connection's thread: connects, listens, sends, and reconnects when the connection is lost.
struct PostgresLoop {
  /// The most messages that one statement sends.
  private static let maxBatch = 256

  private let adapter: PostgresAdapter
  private let server: SocketIOServer.ServerID
  private let outbox: Outbox
  private let receive: (SocketIOAdapterEvent) -> Void

  init(
    _ adapter: PostgresAdapter, _ server: SocketIOServer.ServerID, _ outbox: Outbox,
    receive: @escaping (SocketIOAdapterEvent) -> Void
  ) {
    self.adapter = adapter
    self.server = server
    self.outbox = outbox
    self.receive = receive
  }

  /// Returns after the outbox is closed. If there is a connection, the outbox is sent first.
  func run() {
    var delay = adapter.reconnectDelay
    while !outbox.isClosed {
      do throws(PostgresFailure) {
        let session = try PostgresSession(adapter, server)
        delay = adapter.reconnectDelay
        receive(.connected)
        return try serve(session)
      } catch {
        receive(.disconnected(reason: error.reason))
      }
      wait(until: .now + delay * Double.random(in: 0.5...1))
      delay = min(delay * 2, adapter.maxReconnectDelay)
    }
  }

  private func serve(_ session: PostgresSession) throws(PostgresFailure) {
    var nextCleanup = ContinuousClock.now
    while true {
      if ContinuousClock.now >= nextCleanup {
        nextCleanup = .now + adapter.cleanupInterval
        try reporting { () throws(PostgresFailure) in try session.clean() }
      }
      let payloads = try session.notifications()
      for payload in payloads { try take(payload, session) }
      // A statement's answer may have brought notifications, so the thread sleeps only if no statement has run since it last looked.
      if try send(session) || !payloads.isEmpty { continue }
      if outbox.isClosed { return }
      sleep(on: [session.descriptor, outbox.wakeDescriptor], until: nextCleanup)
      outbox.slept()
    }
  }

  /// Returns whether there was anything to send.
  private func send(_ session: PostgresSession) throws(PostgresFailure) -> Bool {
    // A large message is sent alone.
    let (items, dropped) = outbox.take { taken, next in
      taken.count < Self.maxBatch && [taken[0], next].allSatisfy { NotificationPayload.fits($0.message) }
    }
    if dropped > 0 { receive(.dropped(dropped, reason: "they waited for PostgreSQL longer than maxQueueAge")) }
    guard let first = items.first else { return false }
    do throws(PostgresFailure) {
      if NotificationPayload.fits(first.message) { try session.notify(items) } else { try session.attach(first) }
    } catch {
      receive(.dropped(items.count, reason: error.reason))
      if case .lost = error { throw error }
    }
    return true
  }

  private func take(_ payload: [UInt8], _ session: PostgresSession) throws(PostgresFailure) {
    switch NotificationPayload(payload) {
    case .message(let message): receive(.message(message))
    case .attachment(let id):
      try reporting { () throws(PostgresFailure) in
        guard let message = try session.attachment(id) else {
          return receive(.unreadable(reason: "a large message was deleted too early, or exceeds maxMessageBytes"))
        }
        receive(.message(message))
      }
    case nil: receive(.unreadable(reason: "a notification that no server of this version sends"))
    }
  }

  /// Ignores and reports the failure of a statement, unless the connection is lost.
  private func reporting(_ body: () throws(PostgresFailure) -> Void) throws(PostgresFailure) {
    do throws(PostgresFailure) {
      try body()
    } catch .refused(let reason) {
      receive(.problem(reason: reason))
    } catch {
      throw error
    }
  }

  private func wait(until deadline: ContinuousClock.Instant) {
    while !outbox.isClosed, ContinuousClock.now < deadline {
      sleep(on: [outbox.wakeDescriptor], until: deadline)
      outbox.slept()
    }
  }

  /// Sleeps until a descriptor is readable or the deadline has come.
  private func sleep(on descriptors: [CInt], until deadline: ContinuousClock.Instant) {
    var polled = descriptors.map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
    _ = poll(&polled, nfds_t(polled.count), deadline.millisecondsLeft)
  }
}
