import Foundation
import MadangCore
import MadangProviders

extension ServerSettings {
  /// Dangers in valid settings: secrets or personal data without encryption. Logged at the start and reported by the
  /// doctor.
  package func dangers() -> [DoctorFinding] {
    guard !isDevelopment else { return [] }
    var findings: [DoctorFinding] = []
    if let url = PublicURL(domain.publicURL), url.isInTheClear {
      findings.append(
        DoctorFinding(
          .publicURL, .warning,
          "public.url (\(domain.publicURL)) is plain HTTP: password reset links can be read in transit",
          cure: "write it with https://, and set up TLS (docs/host.md)"))
    }
    if tls.redirectPort != nil, PublicURL(domain.publicURL) == nil {
      findings.append(
        DoctorFinding(
          .publicURL, .warning, "tls.redirect.port has no target: public.url is not set",
          cure: "set public.url to the URL by which people reach the server, like https://chat.example.com"))
    }
    if !filesHome.isEmpty, let url = URL(string: s3.endpoint), url.scheme == "http", let host = url.host(),
      !isLoopback(host)
    {
      findings.append(
        DoctorFinding(
          .cleartext, .warning,
          "s3.endpoint (\(s3.endpoint)) is plain HTTP: files can be read and changed in transit",
          cure: "write it with https://, and set up TLS at the bucket's server"))
    }
    if let endpoint = mail.endpoint, endpoint.security == .none, !isLoopback(endpoint.host) {
      findings.append(
        DoctorFinding(
          .cleartext, .warning,
          "mail.tls is off: mails with password reset links"
            + (mail.user.isEmpty ? "" : mail.oauth.isUsed ? ", and access tokens," : ", and mail.password,")
            + " go to \(endpoint.host) without encryption",
          cure: "leave mail.tls out, or set it to required; for a certificate of your own, mail.tls.authorities"))
    }
    return findings
  }
}
