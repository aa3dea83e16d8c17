import Foundation
import MadangCore
import MadangProviders

extension ServerSettings {
  /// What the settings allow and should not: secrets or data of people that travel in the clear. The log says so at start, and the doctor.
  package func dangers() -> [DoctorFinding] {
    guard !isDevelopment else { return [] }
    var findings: [DoctorFinding] = []
    if let url = PublicURL(domain.publicURL), url.isInTheClear {
      findings.append(
        DoctorFinding(
          .publicURL, .warning,
          "public.url (\(domain.publicURL)) leads people to plain HTTP: links for another password can be read on their way",
          cure: "write it with https://, and set up TLS (docs/host.md)"))
    }
    if tls.redirectPort != nil, PublicURL(domain.publicURL) == nil {
      findings.append(
        DoctorFinding(
          .publicURL, .warning, "tls.redirect.port redirects nothing: public.url, where it would lead, is not set",
          cure: "set public.url to the URL by which people reach the server, like https://chat.example.com"))
    }
    if !filesHome.isEmpty, let url = URL(string: s3.endpoint), url.scheme == "http", let host = url.host(),
      !isLoopback(host)
    {
      findings.append(
        DoctorFinding(
          .cleartext, .warning,
          "s3.endpoint (\(s3.endpoint)) is plain HTTP: files can be read and changed on their way",
          cure: "write it with https://, and set up TLS at the bucket's server"))
    }
    if let endpoint = mail.endpoint, endpoint.security == .none, !isLoopback(endpoint.host) {
      findings.append(
        DoctorFinding(
          .cleartext, .warning,
          "mail.tls is off: mails with links for another password"
            + (mail.user.isEmpty ? "" : ", and mail.password,") + " go to \(endpoint.host) in the clear",
          cure: "leave mail.tls out, or set it to required; for a certificate of your own, mail.tls.authorities"))
    }
    return findings
  }
}
