import Foundation
import MadangCore
import MadangOperations
import ServiceLifecycle
import SocketIOServer
import Storage

/// What an administrator sees of a running server at a glance.
package struct ServerSight: Sendable {
  /// Accounts with a socket.
  package let people: Int
  package let sockets: Int
  /// The 99th percentile of posts of the last five full minutes, in seconds; nil without any.
  package let post: Double?
  package let disk: DiskFigures?
  package let pushesWaiting: Int
  package let arePushesFailing: Bool
  package let mailsWaiting: Int
  package let areMailsFailing: Bool
  package let databaseWaiting: Int
  package let hour: Graph
  package let day: Graph
}

extension ReceivedRequest {
  /// What the server keeps for the administrator's console; nil without it.
  package var console: ConsoleParts? { service.console }

  /// What is to be seen of the server now; nil without the administrator's console.
  package var sight: ServerSight? {
    guard let series = service.console?.series else { return nil }
    let (reading, now) = (service.reading, service.madang.clock.now)
    let troubles = service.reports.metrics.troubles
    return ServerSight(
      people: reading.people, sockets: service.socketIO.stats.sockets, post: series.post(at: now),
      disk: DiskFigures(service.settings.dataDirectory), pushesWaiting: reading.pushes,
      arePushesFailing: troubles.isFailing(.push), mailsWaiting: reading.mails,
      areMailsFailing: troubles.isFailing(.mails),
      databaseWaiting: reading.database, hour: series.graph(60, steps: 1, at: now),
      day: series.graph(96, steps: 15, at: now))
  }
}

extension Service {
  fileprivate var reading: Series.Reading {
    let (now, waiting) = (reports.metrics.now, madang.database.waiting)
    var reading = Series.Reading()
    reading.people = admitted.people
    (reading.chats, reading.posts) = now.posts
    (reading.pushes, reading.mails, reading.database) = (
      now.pushesWaiting, now.mailsWaiting, waiting.writes + waiting.reads
    )
    return reading
  }
}

/// Takes a sample of a server's figures at the end of each minute.
struct SeriesSampler: ServiceLifecycle.Service {
  let service: Service
  let series: Series

  func run() async throws {
    try? await cancelWhenGracefulShutdown { [self] in
      let clock = service.madang.clock
      while true {
        try await clock.sleep(for: .milliseconds(60_000 - clock.now % 60_000))
        sample()
      }
    }
  }

  func sample() { series.add(service.reading, at: service.madang.clock.now) }
}
