import AsyncHTTPClient
import Foundation
import MadangCore

extension Doctor {
  /// An address that is nobody's (RFC 5737), for one who claims to come from elsewhere.
  private static let forged = "203.0.113.77"

  /// What the server tells of how requests arrive that come by the URL.
  /// - Parameter isLocal: Whether they come over this machine's loopback interface, with no proxy between that is for others.
  func probeFindings(
    _ place: OutsidePlace, _ settings: ServerSettings, _ probe: DoctorProbe, isLocal: Bool, _ client: HTTPClient
  ) async throws -> [DoctorFinding] {
    func ask(_ header: (String, String)? = nil) async throws -> DoctorProbe.Sight? {
      try await sight(of: place, probe, header, client)
    }
    // A server of another installation, or one that has another key.
    guard let plain = try await ask() else { return [] }
    var findings: [DoctorFinding] = []
    if plain.connections < settings.limits.connections.total {
      findings.append(
        DoctorFinding(
          .openFiles, .warning,
          "the server takes \(plain.connections) connections, limits.connections is \(settings.limits.connections.total)",
          cure: "raise the limit of open files (LimitNOFILE in the unit, ulimit -n), or lower limits.connections"))
    }
    guard !isLocal else { return findings }
    if plain.authority.lowercased() != place.authority {
      findings.append(
        DoctorFinding(
          .proxyHost, .error,
          "clients call \(place.authority), the server is called \(plain.authority): WebSockets are refused where public.url "
            + "is another, and calls look as if they came from this machine",
          cure: "nginx: proxy_set_header Host $http_host"))
    }
    let comesByProxy = plain.isForwarded || IPAddress(plain.peer)?.isLoopback ?? false
    if comesByProxy && !plain.isPeerTrusted {
      findings.append(
        DoctorFinding(
          .proxyTrust, .error,
          "requests come by a proxy at \(plain.peer), of which the server is not told: all its clients "
            + "share the limits of one", cure: "add \(plain.peer) to trusted.proxies"))
    } else if plain.isPeerTrusted && !plain.isForwarded {
      findings.append(
        DoctorFinding(
          .proxyAddress, .error, "the proxy at \(plain.peer) does not say for whom it calls",
          cure: "nginx: proxy_set_header X-Forwarded-For $proxy_add_x_forwarded_for"))
    }
    if plain.isPeerTrusted && plain.isForwarded {
      if place.isSecure && !plain.isSecure {
        findings.append(
          DoctorFinding(
            .proxyScheme, .warning,
            "the proxy does not say that clients come by TLS: their cookies are not marked Secure",
            cure: "nginx: proxy_set_header X-Forwarded-Proto $scheme"))
      }
      if try await ask(("X-Forwarded-For", Self.forged))?.address == Self.forged {
        findings.append(forgery("X-Forwarded-For", "proxy_set_header X-Forwarded-For $proxy_add_x_forwarded_for"))
      }
      if let told = try await ask(("Forwarded", "for=\(Self.forged)")),
        told.address == Self.forged || told.isShared && !plain.isShared
      {
        findings.append(forgery("Forwarded", "proxy_set_header Forwarded \"\""))
      }
    } else if try await ask(("X-Forwarded-For", Self.forged))?.address == Self.forged {
      findings.append(forgery("X-Forwarded-For", "trusted.proxies names the address of the proxy only"))
    }
    return findings
  }

  /// What a server that runs has noticed of a proxy on its machine; it is asked where it listens, around all proxies. Nothing if it
  /// does not run, or listens at no loopback address.
  func loopbackFindings(_ settings: ServerSettings, _ probe: DoctorProbe) async -> [DoctorFinding] {
    let host = localURLHost(settings.host)
    let scheme = settings.tls.isUsed ? "https" : "http"
    guard isLoopback(host), let place = OutsidePlace("\(scheme)://\(host):\(settings.port)", patience: options.patience)
    else { return [] }
    // The connection does not leave this machine, and the certificate is for another name.
    let client = Self.client(Self.lenientTLS)
    let sight = try? await sight(of: place, probe, nil, client)
    try? await client.shutdown()
    guard let signs = sight?.loopbackSigns, !signs.isEmpty else { return [] }
    return [
      DoctorFinding(
        .proxyTrust, .error, "\(LoopbackSign.problem) (\(signs.map(\.words).joined(separator: "; ")))",
        cure: LoopbackSign.cure)
    ]
  }

  private func sight(
    of place: OutsidePlace, _ probe: DoctorProbe, _ header: (String, String)?, _ client: HTTPClient
  ) async throws -> DoctorProbe.Sight? {
    let proof = (DoctorProbe.header, probe.proof(at: Clock.systemTime()))
    let answer = try await place.call("/livez", headers: [proof] + (header.map { [$0] } ?? []), with: client)
    return try? JSONDecoder().decode(DoctorProbe.Sight.self, from: Data(answer.body))
  }

  private func forgery(_ header: String, _ cure: String) -> DoctorFinding {
    DoctorFinding(
      .proxyForgery, .error,
      "the server believes the \(header) that clients send: they can escape limits, and be taken for "
        + "others", cure: cure.hasPrefix("proxy") ? "nginx: \(cure)" : "see that \(cure)")
  }
}
