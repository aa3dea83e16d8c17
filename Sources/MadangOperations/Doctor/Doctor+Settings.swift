import Foundation
import MadangAPI
import MadangCore
import MadangProviders

extension Doctor {
  /// OWASP asks of Argon2id for 7 MiB with five passes at least, or as much work with more memory.
  private static let leastHashingWork = 7 * 1024 * 5

  /// What settings say that is no mistake and yet a danger.
  func settingsFindings(_ settings: ServerSettings, url: String?) -> [DoctorFinding] {
    let called = url.flatMap { URL(string: $0) }
    let hosts = [settings.host, called?.host(), URL(string: settings.publicURL)?.host()]
    let isPublic = hosts.contains { $0.map { !isLoopback($0) } ?? false }
    var findings: [DoctorFinding] = []
    func add(_ check: DoctorCheck, _ severity: DoctorFinding.Severity, _ message: String, _ cure: String) {
      findings.append(DoctorFinding(check, severity, message, cure: cure))
    }
    if settings.isDevelopment && isPublic && settings.developmentToken.isEmpty {
      add(
        .development, .error,
        "the server is in development mode: it has no limits, and its clock and data can be changed",
        "start it without --dev (MADANG_DEV)")
    }
    if settings.keys.keys.contains(where: { EditionName.developmentKeys[$0] != nil }) && isPublic {
      add(
        .developmentKeys, .error, "keys: one of the API keys is that of development mode, which everybody knows",
        "leave it out; 'madang admin keys create' makes others")
    }
    let (work, overflow) = settings.passwords.cost.memory.multipliedReportingOverflow(
      by: settings.passwords.cost.passes)
    if !overflow && work < Self.leastHashingWork && !settings.isDevelopment {
      add(
        .passwordHashing, .warning,
        "password.memory \(settings.passwords.cost.memory) and password.passes \(settings.passwords.cost.passes) make passwords cheap to guess",
        "leave both out; passwords are hashed anew when people sign in")
    }
    let limits = settings.callLimits
    if [limits.signInFailures, limits.signInFailuresAnywhere, limits.signInFailuresFromAddress].contains(0) {
      add(
        .passwordTries, .error,
        "one of limits.signin.failures, limits.signin.failures.anywhere and limits.signin.failures.address is 0: "
          + "passwords may be tried without a limit", "leave out all three")
    }
    if settings.registration.mode == .open && isPublic && !settings.isDevelopment {
      add(
        .registration, .warning, "registration is open: everybody with an application of yours may make an account",
        "set registration to invite, domain or closed, if it is for a team (docs/host.md)")
    }
    if settings.sockets.access == .open && isPublic {
      add(
        .socketAccess, .error, "socket.access is open: everybody hears every room", "set it to cookie, or leave it out")
    }
    for network in settings.trustedProxies where network.isTooLarge {
      add(
        .trustedProxies, .error,
        "trusted.proxies: \(network.text) has clients in it, whose X-Forwarded-For is believed",
        "name the addresses of your proxies only")
    }
    findings += settings.dangers()
    findings += publicURLFindings(settings, called)
    if !isLoopback(settings.host) && !settings.tls.isUsed && settings.trustedProxies.isEmpty && !settings.isDevelopment
    {
      add(
        .plainHTTP, .warning,
        "the server listens to other machines (\(settings.host)) without TLS, and is told of no proxy",
        "set tls.cert and tls.key, or host 127.0.0.1 and a proxy in trusted.proxies (docs/host.md)")
    }
    if settings.body.request < settings.files.maxSize {
      add(
        .uploadLimit, .warning,
        "limits.body (\(settings.body.request)) is less than files.size (\(settings.files.maxSize)): such files never arrive",
        "raise limits.body above files.size")
    }
    if let operations = settings.operations, !isLoopback(operations.host) {
      add(
        .operationsListener, .warning,
        "operations: whoever reaches \(operations.host):\(operations.port) is taken for an operator",
        "use 127.0.0.1, or let only your monitoring reach it")
    }
    if settings.audit.refusals == 0 || settings.auditSinks.refusalsPerMinute == 0 {
      add(
        .auditRefusals, .warning, "the audit log keeps no failed sign-ins",
        "leave out audit.refusals.kept and audit.refusals.minute")
    }
    if settings.providers.countsTestPayments && !settings.isDevelopment {
      add(
        .testPayments, .warning,
        "payments.portone.pg is empty: payments through test channels of PortOne v1, which cost nothing, count",
        "set it to the pg_id of your shops at payment gateways (docs/reference/providers.md)")
    }
    return findings
  }

  private func publicURLFindings(_ settings: ServerSettings, _ called: URL?) -> [DoctorFinding] {
    guard let url = URL(string: settings.publicURL), let host = url.host() else {
      guard settings.registration.mode == .invite else { return [] }
      return [
        DoctorFinding(
          .publicURL, .warning, "public.url is not set: invitations come without a link",
          cure: "set it to the URL by which people reach the server, like https://chat.example.com")
      ]
    }
    // That has its finding already.
    if PublicURL(settings.publicURL)?.isInTheClear ?? false { return [] }
    guard let called, let other = called.host(), other.lowercased() != host.lowercased() || called.port != url.port
    else {
      return []
    }
    return [
      DoctorFinding(
        .publicURL, .warning,
        "public.url is \(settings.publicURL), and the server is looked at as \(called.absoluteString)",
        cure: "set public.url to the URL by which people reach the server, or call the doctor with it")
    ]
  }
}
