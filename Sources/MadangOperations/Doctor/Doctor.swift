import Foundation
import Logging
import MadangCore

/// Checks an installation: from inside by its settings and data, from outside by its URL. It changes nothing.
public struct Doctor: Sendable {
  public struct Options: Sendable {
    /// Percent of a disk, and of its inodes, that should be free.
    public var minFreePercent = 5
    /// The greatest age of the newest backup; 0 skips the check.
    public var backupDays = 2
    /// How long each call over the network may take.
    public var patience: Duration = .seconds(5)
    /// How long PostgreSQL may take for all questions.
    public var databasePatience: Duration { patience * 4 }
    /// Whether the embedded database is read from end to end.
    public var isDeep = false
    /// A PEM file with further trusted root certificates.
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

  /// Checks settings and data, and the URL if there is one.
  public func examine(_ settings: ServerSettings, url: String?) async -> [DoctorFinding] {
    var findings = settingsFindings(settings, url: url)
    let data = dataFindings(settings)
    findings += data
    findings += await ownFileFindings(settings)
    var probe: DoctorProbe?
    // Otherwise files of another user would be left in the directory, which the server could not write.
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

  /// Checks settings and data of the server in this process, from inside.
  /// - Parameter signs: Signs of a proxy that the server has noticed.
  package func examine(
    _ settings: ServerSettings, in madang: Madang, signs: [LoopbackSign] = []
  ) async -> [DoctorFinding] {
    await DoctorFinding.ignored(settings.sources) + DoctorFinding.readableSettings(settings.sources.files)
      + settingsFindings(settings, url: nil) + dataFindings(settings)
      + ownFileFindings(settings) + explaining { try await findings(in: madang, settings) }
      + DoctorFinding.proxies(signs)
  }

  /// Checks a server of which only the URL is known.
  public func examine(url: String) async -> [DoctorFinding] {
    await outsideFindings(url, settings: nil, probe: nil)
  }
}

extension DoctorFinding {
  /// Splits an error text for operators: the cure is its last line, or the part after a semicolon.
  init(_ check: DoctorCheck, _ error: SetupError) {
    var lines = error.description.split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }
    if lines.count < 2 { lines = error.description.split(separator: "; ", maxSplits: 1).map(String.init) }
    let cure = lines.count < 2 ? "see what it says" : lines.removeLast()
    self.init(check, .error, lines.joined(separator: " "), cure: cure)
  }
}
