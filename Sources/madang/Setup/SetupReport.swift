import ArgumentParser
import Foundation
import Logging
import MadangAPI
import MadangCore
import MadangOperations

/// What people need of a server that was set up. Read as the owner of its data.
struct SetupReport: Encodable {
  struct Key: Encodable {
    let edition: String
    let key: String
  }

  let name: String
  let address: String
  /// The administrator's console; nil if it is off.
  let console: String?
  /// The settings that were changed.
  let changed: [String]
  /// Only while there is no administrator.
  let administratorLink: NewAdministratorLink?
  /// A code for people; only from a setup that changed something, while there is no other code.
  let invitation: InvitationSummary?
  /// The first API keys.
  let keys: [Key]
  let certificate: CertificateSummary
  let backups: String
  /// Why the first backup failed.
  let failedBackup: String?
  let findings: [DoctorFinding]
  /// Whether registration is closed.
  private let isClosed: Bool

  private enum CodingKeys: CodingKey {
    case name, address, console, changed, administratorLink, invitation, keys, certificate, backups, failedBackup
    case findings
  }

  var hasCertificate: Bool { certificate.isServed }

  /// How many addresses the first code invites, and for how long.
  private static let (codeUses, codeDays) = (10, 14)
  private static let patience = Duration.seconds(120)

  /// Waits for the certificate, makes links, and runs the doctor. This process becomes the owner of the data.
  /// - Parameter isResumed: Whether an earlier setup did not end: the link and the code that it made may never have been printed.
  /// - Throws: ``Failure`` if the data cannot be used.
  init(
    of setup: Setup, changed: [String], isChanged: Bool, isResumed: Bool, failedBackup: String?
  ) async throws {
    let loaded = try await LoadedSettings(flags: [:], file: setup.machine.settingsFile, environment: [:])
    let settings = loaded.settings
    try DataOwner.become(of: settings.dataDirectory)
    var logger = Logger(label: "madang") { StreamLogHandler.standardError(label: $0) }
    logger.logLevel = .error

    (name, address, self.changed, self.failedBackup) = (setup.name, settings.publicURL, changed, failedBackup)
    console = settings.web.admin.isOn ? "\(settings.publicURL)/admin/" : nil
    backups = setup.machine.backupDirectory
    isClosed = settings.registration.mode == .closed
    keys = EditionName.newestFirst.compactMap { edition in
      let file = Secrets.apiKeyFile(of: edition, in: settings.secretsDirectory)
      guard let text = try? String(contentsOf: file, encoding: .utf8) else { return nil }
      return Key(edition: edition.rawValue, key: text.trimmingCharacters(in: .whitespacesAndNewlines))
    }
    do {
      (certificate, administratorLink, invitation) = try await Administration.run(settings, logger: logger) {
        let certificate = try await Self.certificate($0)
        let link = try await Self.link($0, settings, isResumed: isResumed)
        guard isChanged else { return (certificate, link, nil) }
        return (certificate, link, try await Self.invitation($0, isResumed: isResumed))
      }
    } catch {
      throw Failure((error as? SetupError)?.description ?? (error as? AdministrationError)?.description ?? "\(error)")
    }
    // Without a certificate, clients fail as they should; the doctor has nothing to add.
    let roots = setup.roots == nil ? settings.tls.acme.authorities : setup.machine.authorityFile
    let doctor = try DoctorCommand.parse(
      ["--config", setup.machine.settingsFile] + (certificate.isServed ? [] : ["--inside"])
        + (roots.isEmpty ? [] : ["--ca-file", roots]))
    findings = await doctor.findings()
  }

  /// Waits until there is a certificate, or a try has failed.
  private static func certificate(_ administration: Administration) async throws -> CertificateSummary {
    let end = ContinuousClock.now + patience
    return try await StatusLine.with { status in
      while true {
        let certificate = try await administration.certificate()
        guard certificate.state == .none, ContinuousClock.now < end else { return certificate }
        status?.draw("Waiting for the certificate, up to two minutes.")
        try await Task.sleep(for: .milliseconds(250))
      }
    }
  }

  /// A link for the first administrator.
  private static func link(
    _ administration: Administration, _ settings: ServerSettings, isResumed: Bool
  ) async throws -> NewAdministratorLink? {
    guard settings.web.admin.isOn, try await administration.administrators().isEmpty else { return nil }
    let isThere = try await !administration.administratorLinks().isEmpty
    guard isResumed || !isThere else { return nil }
    return try await administration.makeAdministratorLink()
  }

  /// A code for people, unless there is one, or registration is closed.
  private static func invitation(_ administration: Administration, isResumed: Bool) async throws -> InvitationSummary? {
    let open = try await administration.invitations(isOpen: true, limit: 100)
    guard isResumed || open.elements.allSatisfy({ $0.email != nil }) else { return nil }
    do { return try await administration.inviteByCode(uses: codeUses, days: codeDays) } catch let error
      as AdministrationError where error.reason == .closed
    { return nil }
  }
}

extension SetupReport {
  func show(_ output: Output) throws {
    if output.json { return try output.line(self) }
    try output.object(self, fields)
    if Terminal.messageWidth != nil, let code = QRCode(invitation?.link ?? address) {
      output.note(invitation == nil ? "The address:" : "Invited people scan this:")
      Terminal.picture(code.terminalText)
    }
    output.note("The doctor says:")
    for finding in findings { try output.show(finding) }
    if findings.isEmpty { output.note("Nothing is wrong.") }
  }

  private var fields: [(String, String)] {
    var fields = [("address", address)]
    if let console { fields.append(("console", console)) }
    if let administratorLink {
      let end = LocalTime(administratorLink.expiresAt)
      fields.append(("first administrator", "\(administratorLink.link) (once, until \(end.time))"))
    } else if console != nil {
      fields.append(("administrator", "'madang admin web' prints a new link"))
    }
    if let invitation {
      let words = "for \(invitation.usesLeft) people, until \(LocalTime(invitation.expiresAt).day)"
      fields.append(("invitation", "\(invitation.link ?? invitation.code ?? "") (\(words))"))
    } else if !isClosed {
      let command = "madang admin invite --code --uses \(Self.codeUses) --days \(Self.codeDays)"
      fields.append(("invitation", "'\(command)' prints a new one"))
    }
    fields += keys.map { ("API key \($0.edition)", $0.key) }
    fields.append(("certificate", certificate.words))
    fields.append(("backups", failedBackup == nil ? "\(backups), every night" : "the first one failed"))
    return fields
  }
}

extension CertificateSummary {
  /// Whether clients can call the server: with a certificate that has not ended, or a proxy's.
  fileprivate var isServed: Bool {
    state == .off || (notAfter ?? "") > WireDate.string(Clock.systemTime())
  }

  fileprivate var words: String {
    let next = nextTry.map { "; next try \(LocalTime($0).day) \(LocalTime($0).time)" } ?? ""
    switch state {
    case .off: return "of the proxy"
    case .none: return "not there yet; 'madang admin certificate' shows how it goes"
    case .valid, .failing:
      if let error { return "\(error); \(cure ?? "")\(next)" }
      return "until \(notAfter.map { LocalTime($0).day } ?? "?"), from \(issuer ?? "?"), renewed by itself"
    }
  }
}
