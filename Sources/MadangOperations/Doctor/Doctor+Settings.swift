import Foundation
import MadangAPI
import MadangCore
import MadangProviders

extension Doctor {
  /// OWASP recommends at least 7 MiB with five passes for Argon2id, or as much work with more memory.
  private static let leastHashingWork = 7 * 1024 * 5

  /// Valid settings that are dangerous.
  func settingsFindings(_ settings: ServerSettings, url: String?) -> [DoctorFinding] {
    let called = url.flatMap { URL(string: $0) }
    let hosts = [called?.host(), URL(string: settings.publicURL)?.host()]
    let isPublic = !settings.isForThisMachine || hosts.contains { $0.map { !isLoopback($0) } ?? false }
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
        .developmentKeys, .error, "keys: one of the API keys is that of development mode, which is public",
        "remove it; create others with 'madang admin keys create'")
    }
    let (work, overflow) = settings.passwords.cost.memory.multipliedReportingOverflow(
      by: settings.passwords.cost.passes)
    if !overflow && work < Self.leastHashingWork && !settings.isDevelopment {
      add(
        .passwordHashing, .warning,
        "password.memory \(settings.passwords.cost.memory) and password.passes \(settings.passwords.cost.passes) make stolen password hashes cheap to guess",
        "remove both settings; passwords are hashed again when people sign in")
    }
    let limits = settings.callLimits
    if [limits.signInFailures, limits.signInFailuresAnywhere, limits.signInFailuresFromAddress].contains(0) {
      add(
        .passwordTries, .error,
        "one of limits.signin.failures, limits.signin.failures.anywhere and limits.signin.failures.address is 0: "
          + "passwords can be tried without a limit", "leave out all three")
    }
    if settings.registration.mode == .open && isPublic && !settings.isDevelopment {
      add(
        .registration, .warning, "registration is open: anyone with one of your applications can create an account",
        "for a team, set registration to invite, domain or closed (docs/host.md)")
    }
    if settings.sockets.access == .open && isPublic {
      add(
        .socketAccess, .error, "socket.access is open: any client receives the chats of every room",
        "set it to cookie, or leave it out")
    }
    for network in settings.trustedProxies where network.isTooLarge {
      add(
        .trustedProxies, .error,
        "trusted.proxies: \(network.text) includes clients, whose X-Forwarded-For would be trusted",
        "list only the addresses of your proxies")
    }
    findings += settings.dangers()
    findings += publicURLFindings(settings, called)
    if settings.socketPath != nil, settings.socketMode & 0o002 != 0 {
      add(
        .proxyTrust, .error,
        "host.mode \(String(settings.socketMode, radix: 8)): every user of this machine can connect as the proxy, and pose as any client",
        "set host.mode to 660, and add the proxy's user to the group of the server's user")
    }
    if !settings.isForThisMachine && !settings.tls.isUsed && settings.trustedProxies.isEmpty && !settings.isDevelopment
    {
      add(
        .plainHTTP, .warning,
        "the server listens to other machines (\(settings.host)) without TLS, and trusted.proxies is empty",
        "set tls.cert and tls.key; or set host to 127.0.0.1 and put a proxy in front, in trusted.proxies (docs/host.md)"
      )
    }
    if settings.body.request < settings.files.maxSize {
      add(
        .uploadLimit, .warning,
        "limits.body (\(settings.body.request)) is less than files.size (\(settings.files.maxSize)): large files are always refused",
        "raise limits.body above files.size")
    }
    if let operations = settings.operations, !isLoopback(operations.host) {
      add(
        .operationsListener, .warning,
        "operations: any client that reaches \(operations.host):\(operations.port) counts as an operator",
        "use 127.0.0.1, or allow only your monitoring to reach it")
    }
    if settings.audit.refusals == 0 || settings.auditSinks.refusalsPerMinute == 0 {
      add(
        .auditRefusals, .warning, "the audit log keeps no failed sign-ins",
        "leave out audit.refusals.kept and audit.refusals.minute")
    }
    if settings.providers.countsTestPayments && !settings.isDevelopment {
      add(
        .testPayments, .warning,
        "payments.portone.pg is empty: free test payments of PortOne v1 are accepted as real ones",
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
    // This already has its finding.
    if PublicURL(settings.publicURL)?.isInTheClear ?? false { return [] }
    guard let called, let other = called.host(), other.lowercased() != host.lowercased() || called.port != url.port
    else {
      return []
    }
    return [
      DoctorFinding(
        .publicURL, .warning,
        "public.url is \(settings.publicURL), but the doctor was called with \(called.absoluteString)",
        cure: "set public.url to the URL by which people reach the server, or call the doctor with that URL")
    ]
  }
}
