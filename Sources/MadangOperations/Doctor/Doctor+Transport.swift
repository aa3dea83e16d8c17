import Foundation
import NIOSSL

extension Doctor {
  /// Why a client that checks the certificate fails where another one succeeds.
  private func trustFinding(_ place: OutsidePlace, _ error: any Error) -> DoctorFinding {
    let words = "\(error)"
    if words.contains("ailedToValidateHostname") || words.contains("hostname") {
      return DoctorFinding(
        .tlsTrust, .error, "the certificate of \(place.url) is not valid for \(place.host)",
        cure: "get one for this name, or call the server by the certificate's name")
    }
    // Other failures say nothing about the certificate.
    guard words.contains("CERTIFICATE_VERIFY_FAILED") else { return connectionFinding(place, error) }
    return DoctorFinding(
      .tlsTrust, .error, "the certificate of \(place.url) is not signed by a trusted authority",
      cure:
        "serve the whole chain (fullchain.pem) of an authority that phones trust; for your own authority, pass --ca-file"
    )
  }

  private static func waitingFinding(_ place: OutsidePlace) -> DoctorFinding {
    DoctorFinding(
      .tlsTrust, .error,
      "\(place.url) has no certificate of an authority yet; until then the server uses its own, which no client trusts",
      cure: "'madang admin certificate', on the server, shows what is wrong and when the next try is")
  }

  /// Checks the security of the transport.
  func transportFindings(_ place: OutsidePlace, _ first: OutsidePlace.Exchange) async -> [DoctorFinding] {
    let head = "GET /livez HTTP/1.1\r\nHost: \(place.host)\r\n\r\n"
    guard place.isSecure else {
      guard !first.isLocal else { return [] }
      return [
        DoctorFinding(
          .plainHTTP, .error, "\(place.url) is plain HTTP: passwords and tokens can be read in transit",
          cure: "set up TLS, at a proxy or at the server (docs/host.md), and call the doctor with https://")
      ]
    }
    var findings: [DoctorFinding] = []
    let end = first.certificateEnd
    if let end { findings += Self.expiryFindings(end, .tlsExpiry, place.url) }
    if end.map({ $0 >= Date() }) ?? true {
      do { _ = try await place.exchange(head, tls: strictTLS) { !$0.isEmpty } } catch {
        findings.append(first.waitsForCertificate ? Self.waitingFinding(place) : trustFinding(place, error))
      }
    }
    var old = TLSConfiguration.makeClientConfiguration()
    old.certificateVerification = .none
    (old.minimumTLSVersion, old.maximumTLSVersion) = (.tlsv1, .tlsv11)
    if let answer = try? await place.exchange(head, tls: old, until: { !$0.isEmpty }), !answer.bytes.isEmpty {
      findings.append(
        DoctorFinding(
          .tlsVersion, .warning, "\(place.url) accepts TLS 1.1 or older, which is insecure",
          cure: "nginx: ssl_protocols TLSv1.2 TLSv1.3"))
    }
    if place.port == 443, let plain = OutsidePlace("http://\(place.authority)", patience: options.patience),
      let answer = try? await plain.exchange(head, tls: nil, until: { $0.contains(UInt8(ascii: "\n")) }),
      answer.status == 200
    {
      findings.append(
        DoctorFinding(
          .plainHTTP, .warning, "\(plain.url) answers without TLS",
          cure:
            "redirect it to https://: 'return 308 https://$host$request_uri;' in nginx, tls.redirect.port in Madang"
        ))
    }
    return findings
  }
}
