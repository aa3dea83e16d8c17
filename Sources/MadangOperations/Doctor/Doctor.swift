import Foundation
import Logging
import MadangCore

/// Looks at an installation: from inside by its settings and data, from outside by its URL. It changes nothing.
public struct Doctor: Sendable {
  public struct Options: Sendable {
    /// Percent of a disk, and of its inodes, that should be free.
    public var minFreePercent = 5
    /// The oldest that the newest backup may be; 0 for not to ask.
    public var backupDays = 2
    /// How long each call over the network may take.
    public var patience: Duration = .seconds(5)
    /// How long PostgreSQL may take for all that is asked of it.
    public var databasePatience: Duration { patience * 4 }
    /// Whether the embedded database is read from end to end.
    public var isDeep = false
    /// A file in PEM with roots that are believed in besides the system's.
    public var trustedRoots: String?

    public init() {}
  }

  let options: Options
  let logger: Logger

  /// When the certificate of these settings ends. Throws words for operators.
  public typealias CertificateEnd = @Sendable (TLSSettings) throws -> Date

  let certificateEnd: CertificateEnd

  public init(_ options: Options, certificateEnd: @escaping CertificateEnd, logger: Logger) {
    (self.options, self.certificateEnd, self.logger) = (options, certificateEnd, logger)
  }

  /// Looks at settings and data, and at the URL if there is one.
  public func examine(_ settings: ServerSettings, url: String?) async -> [DoctorFinding] {
    var findings = settingsFindings(settings, url: url)
    let data = dataFindings(settings)
    findings += data
    findings += await ownFileFindings(settings)
    var probe: DoctorProbe?
    // Another user's database would be left with files that the server cannot write.
    if !data.contains(where: { $0.check == .dataDirectory }) {
      let inside = await databaseFindings(settings)
      findings += inside.findings
      probe = inside.probe
    }
    if let url {
      findings += await providerFindings(settings)
      findings += await mailFindings(settings)
      findings += await outsideFindings(url, settings: settings, probe: probe)
    }
    if let probe, !findings.contains(where: { $0.check == .proxyTrust }) {
      findings += await loopbackFindings(settings, probe)
    }
    return findings
  }

  /// Looks at a server of which there is only the URL.
  public func examine(url: String) async -> [DoctorFinding] {
    await outsideFindings(url, settings: nil, probe: nil)
  }
}

extension DoctorFinding {
  /// Of an error in words for operators, whose last line, or what follows a semicolon, is the cure.
  init(_ check: DoctorCheck, _ error: SetupError) {
    var lines = error.description.split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }
    if lines.count < 2 { lines = error.description.split(separator: "; ", maxSplits: 1).map(String.init) }
    let cure = lines.count < 2 ? "see what it says" : lines.removeLast()
    self.init(check, .error, lines.joined(separator: " "), cure: cure)
  }
}
