import Foundation
import Logging
import MadangCore
import MadangOperations
import Storage

/// What operators see of a server: metrics, health and logs.
struct Reports: Sendable {
  let metrics: Metrics
  let refusals: RefusedSignIns
  let security: SecurityLog
  let failures: FailureLog
  let readiness: ReadinessProbe
  /// Nil in development mode.
  let loopback: LoopbackWatch?
  let doctor: DoctorProbe

  /// - Parameter secret: The installation's secret, from which the doctor's proof is derived.
  init(_ madang: Madang, _ settings: ServerSettings, secret: [UInt8], _ metrics: Metrics) {
    let (logger, clock) = (madang.logger, madang.clock)
    self.metrics = metrics
    refusals = RefusedSignIns(
      madang, perMinute: settings.auditSinks.refusalsPerMinute, failed: { metrics.signInFailed(.account) })
    security = SecurityLog(logger, linesPerMinute: settings.limits.securityLines, clock: clock)
    failures = FailureLog(logger, linesPerMinute: settings.limits.failureLines, clock: clock)
    readiness = ReadinessProbe(of: madang, socket: settings.socketPath)
    loopback =
      settings.isDevelopment
      ? nil : LoopbackWatch(proxies: settings.trustedProxies, hasTLS: settings.tls.isUsed, logger: logger)
    doctor = DoctorProbe(secret: secret)
  }
}

extension ReadinessProbe {
  /// Checks whether the database and the file store accept writes. Changes are logged.
  fileprivate init(of madang: Madang, socket: String?) {
    self.init { problem in
      if let problem {
        madang.logger.error("not ready", metadata: ["reason": "\(problem)"])
      } else {
        madang.logger.notice("ready again")
      }
    } check: {
      try await madang.database.ping()
      try await madang.files.ping()
      // Some programs tidy up old files.
      if let socket, FileMode(URL(filePath: socket)) == nil { throw MissingSocket(path: socket) }
    }
  }
}

/// Since then no client can connect.
private struct MissingSocket: Error, CustomStringConvertible {
  let path: String
  var description: String {
    "the Unix socket \(path) was removed; restart the server, and keep programs that tidy up from its directory"
  }
}
