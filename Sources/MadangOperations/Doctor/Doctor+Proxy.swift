import AsyncHTTPClient
import Foundation
import MadangCore

extension Doctor {
  /// An address for documentation (RFC 5737), as a forged client address.
  private static let forged = "203.0.113.77"

  /// Problems in how requests to the URL arrive at the server.
  /// - Parameter isLocal: Whether they use this machine's loopback interface without a public proxy in between.
  func probeFindings(
    _ place: OutsidePlace, _ settings: ServerSettings, _ probe: DoctorProbe, isLocal: Bool, _ client: HTTPClient
  ) async throws -> [DoctorFinding] {
    func ask(_ header: (String, String)? = nil) async throws -> DoctorProbe.Sight? {
      try await sight(of: place, probe, header, client)
    }
    // A server of another installation, or with another key.
    guard let plain = try await ask() else { return [] }
    var findings: [DoctorFinding] = []
    if plain.connections < settings.limits.connections.total {
      findings.append(
        DoctorFinding(
          .openFiles, .warning,
          "the server can open \(plain.connections) connections, but limits.connections is \(settings.limits.connections.total)",
          cure: "raise the limit of open files (LimitNOFILE in the unit, ulimit -n), or lower limits.connections"))
    }
    guard !isLocal else { return findings }
    if plain.authority.lowercased() != place.authority {
      findings.append(
        DoctorFinding(
          .proxyHost, .error,
          "clients call \(place.authority), but the proxy sends Host \(plain.authority): WebSockets are refused if public.url "
            + "differs, and calls look as if they came from this machine",
          cure: "nginx: proxy_set_header Host $http_host"))
    }
    let comesByProxy = plain.isForwarded || IPAddress(plain.peer)?.isLoopback ?? false
    if comesByProxy && !plain.isPeerTrusted {
      findings.append(
        DoctorFinding(
          .proxyTrust, .error,
          "requests come through a proxy at \(plain.peer), which is not in trusted.proxies: all its clients "
            + "share the limits of one client", cure: "add \(plain.peer) to trusted.proxies"))
    } else if plain.isPeerTrusted && !plain.isForwarded {
      findings.append(
        DoctorFinding(
          .proxyAddress, .error, "the proxy at \(plain.peer) does not send its clients' addresses",
          cure: "nginx: proxy_set_header X-Forwarded-For $proxy_add_x_forwarded_for"))
    }
    if plain.isPeerTrusted && plain.isForwarded {
      if place.isSecure && !plain.isSecure {
        findings.append(
          DoctorFinding(
            .proxyScheme, .warning,
            "the proxy does not report that clients use TLS: their cookies are not marked Secure",
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
      findings.append(forgery("X-Forwarded-For", "trusted.proxies has only the address of the proxy"))
    }
    return findings
  }

  /// Signs of a proxy on its machine that a running server has noticed; asked directly at its listener, without a proxy.
  /// None if it does not run or does not listen at a loopback address.
  func loopbackFindings(_ settings: ServerSettings, _ probe: DoctorProbe) async -> [DoctorFinding] {
    let host = localURLHost(settings.host)
    let scheme = settings.tls.isUsed ? "https" : "http"
    guard isLoopback(host), let place = OutsidePlace("\(scheme)://\(host):\(settings.port)", patience: options.patience)
    else { return [] }
    // The connection stays on this machine, and the certificate is for another name.
    let client = Self.client(Self.lenientTLS)
    let sight = try? await sight(of: place, probe, nil, client)
    try? await client.shutdown()
    return DoctorFinding.proxies(sight?.loopbackSigns ?? [])
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
      "the server trusts the \(header) of clients: they can evade limits, and pose as "
        + "others", cure: cure.hasPrefix("proxy") ? "nginx: \(cure)" : "make sure that \(cure)")
  }
}
