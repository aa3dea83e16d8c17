import AsyncHTTPClient
import Foundation
import MadangProviders
import NIOCore
import NIOHTTP1
import NIOPosix
import NIOSSL

extension Doctor {
  /// Whether this is a URL of a server, which can be looked at.
  public static func takes(_ url: String) -> Bool { OutsidePlace(url, patience: .zero) != nil }

  /// What clients meet who call the server by a URL.
  /// - Parameters:
  ///   - settings: Those of the server; nil where they are not known.
  ///   - probe: What the server answers; nil where that is not known.
  func outsideFindings(_ url: String, settings: ServerSettings?, probe: DoctorProbe?) async -> [DoctorFinding] {
    guard let place = OutsidePlace(url, patience: options.patience) else {
      return [
        DoctorFinding(
          .connection, .error, "'\(url)' is no URL of a server",
          cure: "write one like https://chat.example.com, a name with other letters as the DNS has it (xn--...)")
      ]
    }
    if let file = options.trustedRoots, (try? NIOSSLCertificate.fromPEMFile(file))?.isEmpty ?? true {
      return [
        DoctorFinding(
          .tlsTrust, .error, "--ca-file: \(file) cannot be read, or has no certificates in PEM",
          cure: "name a file of -----BEGIN CERTIFICATE-----")
      ]
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
          .answer, .error, "\(place.url) does not answer within \(options.patience), or not by HTTP",
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
        // The proof is for the server alone: it goes nowhere in the clear, and to nobody whose certificate is not checked.
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
    // A server that is not believed in has its finding already.
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

  /// For what asks a server whose certificate is looked at elsewhere.
  static var lenientTLS: TLSConfiguration {
    var lenient = TLSConfiguration.makeClientConfiguration()
    lenient.certificateVerification = .none
    return lenient
  }

  /// As clients have it, who check the certificate.
  var strictTLS: TLSConfiguration {
    var strict = TLSConfiguration.makeClientConfiguration()
    if let roots = options.trustedRoots { strict.additionalTrustRoots = [.file(roots)] }
    return strict
  }

  func connectionFinding(_ place: OutsidePlace, _ error: any Error) -> DoctorFinding {
    let cure =
      switch error {
      case let error as NIOConnectionError where error.connectionErrors.isEmpty:
        "the name leads to no address: check it, and its DNS records"
      case is NIOSSLError, is BoringSSLError: "TLS is not spoken there as clients speak it: check port and certificate"
      default: "check that the server and its proxy run and listen there, and that no firewall is between"
      }
    return DoctorFinding(.connection, .error, "\(place.url) cannot be reached: \(networkWords(error))", cure: cure)
  }

  private func answerFindings(_ place: OutsidePlace, _ client: HTTPClient) async throws -> [DoctorFinding] {
    let live = try await place.call("/livez", with: client)
    guard live.status == 200, live.text == #"{"status":"ok"}"# else {
      return [
        DoctorFinding(
          .answer, .error,
          "\(place.url)/livez answers \(live.status): there is no Madang behind it, or it does not run",
          cure: "start the server; check to where the proxy leads (proxy_pass)")
      ]
    }
    var findings: [DoctorFinding] = []
    let ready = try await place.call("/readyz", with: client)
    if ready.status != 200 {
      findings.append(
        DoctorFinding(
          .readiness, .error, "\(place.url)/readyz answers \(ready.status): \(ready.text.prefix(200))",
          cure: "database or disk take no writes: the server's log says why (not ready)"))
    }
    let format = Date.VerbatimFormatStyle(
      format:
        "\(weekday: .abbreviated), \(day: .twoDigits) \(month: .abbreviated) \(year: .defaultDigits) \(hour: .twoDigits(clock: .twentyFourHour, hourCycle: .zeroBased)):\(minute: .twoDigits):\(second: .twoDigits) GMT",
      locale: Locale(identifier: "en_US_POSIX"), timeZone: .gmt, calendar: Calendar(identifier: .gregorian))
    if let text = live.headers.first(name: "Date"), let date = try? Date(text, strategy: format.parseStrategy) {
      let difference = abs(date.timeIntervalSinceNow)
      if difference > 5 {
        findings.append(
          DoctorFinding(
            .clock, difference > 60 ? .error : .warning,
            "the clocks of \(place.url) and of this machine differ by \(Int(min(difference, 1e15))) seconds",
            cure: "have both keep time (systemd-timesyncd, chrony): tokens and certificates end by it"))
      }
    }
    return findings
  }

  /// What answers that is for programs of the server's machine only.
  private func exposureFindings(_ place: OutsidePlace, _ client: HTTPClient) async throws -> [DoctorFinding] {
    let cure =
      "have the proxy pass on Host and X-Forwarded-For as the README has it, or move them to a port of their own "
      + "(operations = 127.0.0.1:9090)"
    var findings: [DoctorFinding] = []
    if try await place.call("/metrics", with: client).status == 200 {
      findings.append(
        DoctorFinding(
          .metricsReachable, .warning, "everybody can read \(place.url)/metrics",
          cure: cure + "; or metrics.public = false"))
    }
    switch try await place.call("/_dev/clock", with: client).status {
    case 200:
      findings.append(
        DoctorFinding(
          .developmentReachable, .error, "everybody can make development calls (\(place.url)/_dev)",
          cure: "start the server without --dev"))
    case 403:
      findings.append(
        DoctorFinding(
          .developmentReachable, .error, "\(place.url) is in development mode, where others reach it",
          cure: "start the server without --dev"))
    default: break
    }
    return findings
  }
}
