import Foundation
import NIOSSL

extension Doctor {
  /// Why a client that checks the certificate does not get through where another one did.
  private func trustFinding(_ place: OutsidePlace, _ error: any Error) -> DoctorFinding {
    let words = "\(error)"
    if words.contains("ailedToValidateHostname") || words.contains("hostname") {
      return DoctorFinding(
        .tlsTrust, .error, "the certificate of \(place.url) is not for \(place.host)",
        cure: "have one made for this name, or call the server by its own")
    }
    // Whatever else went wrong says nothing about the certificate.
    guard words.contains("CERTIFICATE_VERIFY_FAILED") else { return connectionFinding(place, error) }
    return DoctorFinding(
      .tlsTrust, .error, "the certificate of \(place.url) leads to no root that is believed in",
      cure: "serve the whole chain (fullchain.pem), of an authority that phones know; for one of your own, --ca-file")
  }

  /// Whether the way there is safe.
  func transportFindings(_ place: OutsidePlace, _ first: OutsidePlace.Exchange) async -> [DoctorFinding] {
    let head = "GET /livez HTTP/1.1\r\nHost: \(place.host)\r\n\r\n"
    guard place.isSecure else {
      guard !first.isLocal else { return [] }
      return [
        DoctorFinding(
          .plainHTTP, .error, "\(place.url) is plain HTTP: passwords and tokens can be read on their way",
          cure: "set up TLS, at a proxy or at the server (docs/host.md), and call the doctor with https://")
      ]
    }
    var findings: [DoctorFinding] = []
    let end = first.certificateEnd
    if let end { findings += Self.expiryFindings(end, .tlsExpiry, place.url) }
    if end.map({ $0 >= Date() }) ?? true {
      do { _ = try await place.exchange(head, tls: strictTLS) { !$0.isEmpty } } catch {
        findings.append(trustFinding(place, error))
      }
    }
    var old = TLSConfiguration.makeClientConfiguration()
    old.certificateVerification = .none
    (old.minimumTLSVersion, old.maximumTLSVersion) = (.tlsv1, .tlsv11)
    if let answer = try? await place.exchange(head, tls: old, until: { !$0.isEmpty }), !answer.bytes.isEmpty {
      findings.append(
        DoctorFinding(
          .tlsVersion, .warning, "\(place.url) speaks TLS 1.1 or older, which is broken",
          cure: "nginx: ssl_protocols TLSv1.2 TLSv1.3"))
    }
    if place.port == 443, let plain = OutsidePlace("http://\(place.authority)", patience: options.patience),
      let answer = try? await plain.exchange(head, tls: nil, until: { $0.contains(UInt8(ascii: "\n")) }),
      answer.status == 200
    {
      findings.append(
        DoctorFinding(
          .plainHTTP, .warning, "\(plain.url) answers in the clear",
          cure:
            "have it redirect to https://: 'return 308 https://$host$request_uri;' in nginx, tls.redirect.port in Madang"
        ))
    }
    return findings
  }
}
