import ArgumentParser
import MadangOperations

struct AdminCertificateCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "certificate", abstract: "The certificate of the server's own TLS.",
    discussion: """
      A server with tls.acme orders and renews its certificate by itself. 'renew' is for a certificate that must be replaced sooner, or for a try \
      right after you have corrected what an error names.
      """,
    subcommands: [AdminCertificateStatus.self, AdminCertificateRenew.self],
    defaultSubcommand: AdminCertificateStatus.self)
}

extension Output {
  func show(_ certificate: CertificateSummary) throws {
    let words =
      switch certificate.state {
      case .off: "no TLS by the server itself"
      case .none: "none yet"
      case .valid: "valid"
      case .failing: certificate.notAfter == nil ? "none: the last try failed" : "the last try to renew it failed"
      }
    var fields = [("state", words)]
    func add(_ name: String, _ text: String?) { if let text, !text.isEmpty { fields.append((name, text)) } }
    func add(_ name: String, time: String?) { add(name, time.map { LocalTime($0) }.map { "\($0.day) \($0.time)" }) }
    add("names", certificate.names.joined(separator: ", "))
    add("issuer", certificate.issuer)
    add("valid until", time: certificate.notAfter)
    add("renewed from", time: certificate.renewAt)
    add("error", certificate.error)
    add("cure", certificate.cure)
    add("failing since", time: certificate.failingSince)
    if certificate.state != .valid || certificate.nextTry != certificate.renewAt {
      add("next try", time: certificate.nextTry)
    }
    add("authority", certificate.authority)
    try object(certificate, fields)
  }
}
