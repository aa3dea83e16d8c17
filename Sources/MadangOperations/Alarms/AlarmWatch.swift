import Foundation
import Logging
import MadangCore
import ServiceLifecycle

/// Checks regularly for problems that administrators should get a mail about, with the rules of `madang doctor`. Problems
/// of the database are checked by the server that does the housekeeping.
package struct AlarmWatch: ServiceLifecycle.Service {
  private let madang: Madang
  private let settings: ServerSettings
  private let doctor: Doctor
  private let troubles: Troubles
  private let leads: @Sendable () -> Bool
  private let server: String

  /// How long mails fail before administrators are notified, in milliseconds.
  private static let mailPatience: Int64 = 3_600_000

  /// - Parameter leads: Whether this server does the housekeeping now.
  package init(
    _ madang: Madang, _ settings: ServerSettings, certificateEnd: @escaping Doctor.CertificateEnd, troubles: Troubles,
    leads: @escaping @Sendable () -> Bool
  ) {
    (self.madang, self.settings, self.troubles, self.leads) = (madang, settings, troubles, leads)
    var options = Doctor.Options()
    options.backupDays = settings.alarmWatch.backupDays
    doctor = Doctor(options, certificateEnd: certificateEnd, logger: madang.logger)
    // Several servers of one machine have different ports.
    server = settings.node.isEmpty ? "\(Self.hostName):\(settings.port)" : settings.node
  }

  package func run() async throws {
    guard madang.settings.sendsMail, !madang.settings.alarms.recipients.isEmpty else { return }
    await every(settings.alarmWatch.interval, by: madang.clock) {
      do { try await madang.tell(try await findings(), of: server) } catch is CancellationError {} catch {
        madang.logger.warning("alarms could not be checked", metadata: ["error": "\(String(reflecting: error))"])
      }
    }
  }

  private func findings() async throws -> [AlarmKind: AlarmFinding] {
    var findings: [AlarmKind: AlarmFinding] = [.disk: AlarmFinding(doctor.diskFindings(settings.dataDirectory))]
    if settings.tls.hasFiles { findings[.certificate] = AlarmFinding(doctor.certificateFindings(settings.tls)) }
    if settings.tls.acme.isUsed {
      findings[.certificate] = AlarmFinding(try await doctor.orderedCertificateFindings(madang, settings))
    }
    addTroubles(to: &findings)
    guard leads() else { return findings }
    // Without any backup, none is overdue.
    if settings.alarmWatch.backupDays > 0, try await madang.latestAudit(of: .backupMade) != nil {
      findings[.backup] = AlarmFinding(try await doctor.backupFindings(madang, settings))
    }
    let limit = settings.alarmWatch.signIns
    if limit > 0 {
      findings[.signIns] = Self.signIns(
        failed: try await madang.refusedSignIns(limit: limit), limit: limit)
    }
    return findings
  }

  /// It ends at half of the limit: with one limit, attackers could start and end it with each sign-in.
  static func signIns(failed: Int, limit: Int) -> AlarmFinding? {
    guard failed < limit else {
      return .wrong(
        "\(limit) sign-ins or more failed within an hour (alarms.sign.ins)",
        cure: "'madang admin audit --kind signInRefused --since 1h' shows the addresses and accounts")
    }
    return failed < max(1, limit / 2) ? .right : nil
  }

  /// Problems of other servers that this one calls.
  private func addTroubles(to findings: inout [AlarmKind: AlarmFinding]) {
    findings[.mails] = troubles.finding(.mails, for: Self.mailPatience) {
      .wrong(
        "the mail server has accepted no mail for an hour: \($0.reason)",
        cure: "check mail.* and the mail server; this mail waited for it, too")
    }
    findings[.push] = troubles.finding(.push) {
      .wrong(
        "the push service refuses all notifications: \($0.reason)", cure: "see docs/reference/providers.md for push.*")
    }
    findings[.payments] = troubles.finding(.payments) {
      .wrong(
        "the payment provider refuses to answer questions about payments: \($0.reason)",
        cure: "see docs/reference/providers.md for payments.*")
    }
  }

  /// The name from the system, without asking a name server.
  private static var hostName: String {
    var name = [CChar](repeating: 0, count: 256)
    guard gethostname(&name, name.count - 1) == 0 else { return "" }
    return String(decoding: name.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
  }
}

extension AlarmFinding {
  /// The most severe finding.
  fileprivate init(_ findings: [DoctorFinding]) {
    let worst = findings.first { $0.severity == .error } ?? findings.first
    self = worst.map { .wrong($0.message, cure: $0.cure) } ?? .right
  }
}
