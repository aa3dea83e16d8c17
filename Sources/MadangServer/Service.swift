import HTTPTypes
import Hummingbird
import Logging
import MadangAPI
import MadangCore
import MadangOperations
import NIOCore
import SocketIOServer

/// All that a request needs, in one value: no globals, so a process can hold several servers. A class: every request hands it
/// on, and a copy of all that it holds is expensive.
final class Service: Sendable {
  let madang: Madang
  let settings: ServerSettings
  let keys: KnownKeys
  let tokens: AccessTokens
  let limits: CallLimits
  let tries: SignInTries
  let recent: RecentAddresses
  let ledger: Ledger
  let listTurns: ListTurns
  let held: HeldConnects
  let cookie: SocketCookie
  let socketIO: SocketIOServer
  /// Those this server speaks.
  let editions: [Edition]
  let providers: Providers
  let metrics: Metrics
  let refusals: RefusedSignIns
  let links: LinkRequests
  let securityLog: SecurityLog
  let failureLog: FailureLog
  let readinessProbe: ReadinessProbe
  /// Nil in development mode.
  let loopback: LoopbackWatch?
  let doctorProbe: DoctorProbe
  let logger: Logger
  let date: DateHeader
  private let trust: PeerTrust

  init(
    madang: Madang, settings: ServerSettings, keys: KnownKeys, tokens: AccessTokens, limits: CallLimits,
    tries: SignInTries, recent: RecentAddresses, ledger: Ledger, held: HeldConnects, cookie: SocketCookie,
    socketIO: SocketIOServer, editions: [Edition], providers: Providers, metrics: Metrics,
    refusals: RefusedSignIns, links: LinkRequests, securityLog: SecurityLog, readinessProbe: ReadinessProbe,
    loopback: LoopbackWatch?, doctorProbe: DoctorProbe, failureLog: FailureLog, logger: Logger
  ) {
    (self.madang, self.settings, self.keys, self.tokens) = (madang, settings, keys, tokens)
    (self.limits, self.tries, self.recent, self.ledger) = (limits, tries, recent, ledger)
    listTurns = ListTurns(places: settings.databaseReaderCount / 2)
    (self.held, self.cookie, self.socketIO, self.editions) = (held, cookie, socketIO, editions)
    (self.providers, self.metrics) = (providers, metrics)
    self.refusals = refusals
    self.links = links
    (self.securityLog, self.readinessProbe, self.logger) = (securityLog, readinessProbe, logger)
    (self.loopback, self.doctorProbe, self.failureLog) = (loopback, doctorProbe, failureLog)
    date = DateHeader(clock: madang.clock)
    trust = settings.peerTrust
  }

  /// The edition a key belongs to, if this listener serves it.
  nonisolated(nonsending) func edition(ofKey key: String?) async -> Edition? {
    guard let key, let id = await keys.edition(of: key) else { return nil }
    return editions.first { $0.id == id }
  }

  func client(_ headers: HTTPFields, peer: SocketAddress?) -> ClientAddress {
    ClientAddress(peer: peer, headers: headers, trust: trust)
  }
}
