import AsyncHTTPClient
import Foundation
import MadangProviders
import NIOCore
import NIOHTTP1
import NIOPosix
import NIOSSL

extension Doctor {
  /// Whether this is the URL of a server.
  public static func takes(_ url: String) -> Bool { OutsidePlace(url, patience: .zero) != nil }

  /// Problems that clients of a URL meet.
  /// - Parameters:
  ///   - settings: The server's settings; nil if unknown.
  ///   - probe: Asks the server how requests arrive; nil if unknown.
  func outsideFindings(_ url: String, settings: ServerSettings?, probe: DoctorProbe?) async -> [DoctorFinding] {
    guard let place = OutsidePlace(url, patience: options.patience) else {
      return [
        DoctorFinding(
          .connection, .error, "'\(url)' is not the URL of a server",
          cure: "write one like https://chat.example.com, and an international name in its DNS form (xn--...)")
      ]
    }
    if let file = options.trustedRoots {
      do { _ = try TrustedAuthorities.read(file, named: "--ca-file") } catch {
        return [DoctorFinding(.tlsTrust, error)]
      }
    }
    let lenient = Self.lenientTLS
    let first: OutsidePlace.Exchange
    do {
      first = try await place.exchange(
        "GET /livez HTTP/1.1\r\nHost: \(place.authority)\r\n\r\n",
        tls: place.isSecure ? lenient : nil
      ) { String(decoding: $0, as: UTF8.self).contains("\r\n\r\n") }
    } catch {
      return [connectionFinding(place, error)]
    }
    guard first.status != nil else {
      return [
        DoctorFinding(
          .answer, .error, "\(place.url) does not answer with HTTP within \(options.patience)",
          cure: "check that the port is that of the server or its proxy, and that https:// is right")
      ]
    }
    var findings = await transportFindings(place, first)
    let client = Self.client(lenient)
    do {
      findings += try await answerFindings(place, client)
      if !findings.contains(where: { $0.check == .answer }) {
        if !first.isLocal { findings += try await exposureFindings(place, client) }
        findings += await pollingFindings(place, client)
        findings += await webSocketFindings(place, place.isSecure ? lenient : nil)
        findings += await uploadFindings(place, settings ?? ServerSettings(), place.isSecure ? lenient : nil)
        // The proof is for the server only: it is never sent without TLS or without checking the certificate.
        if let probe, let settings, place.isSecure || first.isLocal {
          findings += await probeFindings(place, settings, probe, isLocal: first.isLocal)
        }
      }
    } catch {
      findings.append(connectionFinding(place, error))
    }
    try? await client.shutdown()
    return findings
  }

  private func probeFindings(
    _ place: OutsidePlace, _ settings: ServerSettings, _ probe: DoctorProbe, isLocal: Bool
  ) async -> [DoctorFinding] {
    let client = Self.client(strictTLS)
    // An untrusted certificate already has its finding.
    let findings = try? await probeFindings(place, settings, probe, isLocal: isLocal, client)
    try? await client.shutdown()
    return findings ?? []
  }

  static func client(_ tls: TLSConfiguration) -> HTTPClient {
    var configuration = HTTPClient.Configuration(tlsConfiguration: tls, redirectConfiguration: .disallow)
    configuration.httpVersion = .http1Only
    return HTTPClient(
      eventLoopGroupProvider: .shared(MultiThreadedEventLoopGroup.singleton), configuration: configuration)
  }

  /// For calls to a server whose certificate is checked elsewhere.
  static var lenientTLS: TLSConfiguration {
    var lenient = TLSConfiguration.makeClientConfiguration()
    lenient.certificateVerification = .none
    return lenient
  }

  /// As clients do, which check the certificate.
  var strictTLS: TLSConfiguration {
    var strict = TLSConfiguration.makeClientConfiguration()
    if let roots = options.trustedRoots { strict.additionalTrustRoots = [.file(roots)] }
    return strict
  }

  func connectionFinding(_ place: OutsidePlace, _ error: any Error) -> DoctorFinding {
    let cure =
      switch error {
      case let error as NIOConnectionError where error.connectionErrors.isEmpty:
        "the name has no address: check the name and its DNS records"
      case is NIOSSLError, is BoringSSLError: "the TLS handshake failed: check port and certificate"
      default: "check that the server and its proxy run and listen there, and that no firewall blocks them"
      }
    return DoctorFinding(.connection, .error, "\(place.url) cannot be reached: \(networkWords(error))", cure: cure)
  }

  private func answerFindings(_ place: OutsidePlace, _ client: HTTPClient) async throws -> [DoctorFinding] {
    let live = try await place.call("/livez", with: client)
    let now = Date()
    guard live.status == 200, live.text == #"{"status":"ok"}"# else {
      return [
        DoctorFinding(
          .answer, .error,
          "\(place.url)/livez answers \(live.status): it does not lead to a Madang, or Madang does not run",
          cure: "start the server; check the proxy's target (proxy_pass)")
      ]
    }
    var findings: [DoctorFinding] = []
    let ready = try await place.call("/readyz", with: client)
    if ready.status != 200 {
      findings.append(
        DoctorFinding(
          .readiness, .error, "\(place.url)/readyz answers \(ready.status): \(ready.text.prefix(200))",
          cure: "the database or the disk refuses writes: the server's log shows why (not ready)"))
    }
    let format = Date.VerbatimFormatStyle(
      format:
        "\(weekday: .abbreviated), \(day: .twoDigits) \(month: .abbreviated) \(year: .defaultDigits) \(hour: .twoDigits(clock: .twentyFourHour, hourCycle: .zeroBased)):\(minute: .twoDigits):\(second: .twoDigits) GMT",
      locale: Locale(identifier: "en_US_POSIX"), timeZone: .gmt, calendar: Calendar(identifier: .gregorian))
    if let text = live.headers.first(name: "Date"), let date = try? Date(text, strategy: format.parseStrategy) {
      let difference = abs(date.timeIntervalSince(now))
      if difference > 5 {
        findings.append(
          DoctorFinding(
            .clock, difference > 60 ? .error : .warning,
            "the clocks of \(place.url) and of this machine differ by \(Int(min(difference, 1e15))) seconds",
            cure: "synchronise both clocks (systemd-timesyncd, chrony): they decide when tokens and certificates expire"
          ))
      }
    }
    return findings
  }

  /// Calls that must be answered to programs of the server's machine only.
  private func exposureFindings(_ place: OutsidePlace, _ client: HTTPClient) async throws -> [DoctorFinding] {
    let cure =
      "let the proxy pass on Host and X-Forwarded-For (docs/host.md), or move these calls to a separate port "
      + "(operations = 127.0.0.1:9090)"
    var findings: [DoctorFinding] = []
    if try await place.call("/metrics", with: client).status == 200 {
      findings.append(
        DoctorFinding(
          .metricsReachable, .warning, "anyone can read \(place.url)/metrics",
          cure: cure + "; or metrics.public = false"))
    }
    switch try await place.call("/_dev/clock", with: client).status {
    case 200:
      findings.append(
        DoctorFinding(
          .developmentReachable, .error, "anyone can make development calls (\(place.url)/_dev)",
          cure: "start the server without --dev"))
    case 403:
      findings.append(
        DoctorFinding(
          .developmentReachable, .error, "\(place.url) is in development mode and can be reached from outside",
          cure: "start the server without --dev"))
    default: break
    }
    return findings
  }
}
