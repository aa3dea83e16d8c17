import AsyncHTTPClient
import Foundation
import NIOCore
import NIOHTTP1
import NIOSSL
import SocketIOProtocol

/// HTTP calls to one authority, with limits of time and of the size of an answer.
final class AuthorityCalls: Sendable {
  struct Answer: Sendable {
    let status: Int
    let headers: HTTPHeaders
    let body: [UInt8]

    func header(_ name: String) -> String? { headers.first(name: name) }

    /// How long to wait before the next call, if the authority says so.
    var pause: Duration? { header("Retry-After").flatMap { RetryAfter.duration($0, now: Date()) } }

    func decode<Value: Decodable>(_ type: Value.Type, from url: String) throws -> Value {
      do { return try JSONText.decode(type, from: body) } catch {
        throw ACMEError.unusable("no valid \(type)", at: url)
      }
    }
  }

  /// The longest answer. A chain of certificates has some 5 KiB.
  static let maxAnswer = 64 * 1024

  private let client: HTTPClient
  private let timeout: Duration
  /// `https` for all authorities but those on this machine.
  private let scheme: String
  private let directory: String

  /// - Parameter roots: Certificates to trust in addition to the system's.
  init(directory: String, roots: [NIOSSLCertificate], timeout: Duration) {
    var tls = TLSConfiguration.makeClientConfiguration()
    if !roots.isEmpty { tls.additionalTrustRoots = [.certificates(roots)] }
    var configuration = HTTPClient.Configuration(tlsConfiguration: tls, redirectConfiguration: .disallow)
    configuration.httpVersion = .http1Only
    // The next try comes minutes later; a refused connection is reported at once.
    configuration.connectionPool.retryConnectionEstablishment = false
    client = HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
    self.timeout = timeout
    self.directory = directory
    scheme = directory.lowercased().hasPrefix("http://") ? "http://" : "https://"
  }

  deinit { client.shutdown { _ in } }

  func head(_ url: String) async throws -> Answer { try await send(url) { $0.method = .HEAD } }

  func get(_ url: String) async throws -> Answer { try await send(url) { _ in } }

  func post(_ url: String, _ message: SignedMessage) async throws -> Answer {
    let body = ByteBuffer(bytes: try JSONText.bytes(message))
    return try await send(url) { request in
      request.method = .POST
      request.headers.add(name: "Content-Type", value: "application/jose+json")
      request.body = .bytes(body)
    }
  }

  /// Throws ``ACMEError``.
  private func send(_ url: String, _ change: (inout HTTPClientRequest) -> Void) async throws -> Answer {
    // An authority cannot send a signed message elsewhere without TLS.
    guard AuthorityAddress.isUsable(url, from: directory) else {
      throw ACMEError.unusable("an address that cannot be called", at: url, endsOrder: true)
    }
    guard url.lowercased().hasPrefix(scheme) else {
      throw ACMEError.unusable("an address without \(scheme)", at: url, endsOrder: true)
    }
    var request = HTTPClientRequest(url: url)
    request.headers.add(name: "User-Agent", value: "madang")
    change(&request)
    do { return try await answer(to: request) } catch let error as ACMEError { throw error } catch {
      if Task.isCancelled { throw CancellationError() }
      throw ACMEError(
        .unreachable(url, error), "the authority cannot be reached at \(LogText(url)): \(LogText("\(error)"))",
        cure: "check its address, and that this machine reaches the internet")
    }
  }

  private func answer(to request: HTTPClientRequest) async throws -> Answer {
    // The client's own limit ends with the head of the answer. It is a little shorter, so that it can report the reason of a failure.
    try await within(timeout, to: "answer") { [client, timeout] in
      let response = try await client.execute(request, timeout: TimeAmount(timeout * 0.9))
      let body = try await response.body.collect(upTo: Self.maxAnswer)
      return Answer(
        status: Int(response.status.code), headers: response.headers, body: Array(body.readableBytesView))
    }
  }
}

/// How long to wait, as HTTP says it (RFC 9110, section 10.2.3).
enum RetryAfter {
  /// The longest wait that is believed.
  private static let longest = 86_400

  /// - Parameter text: Seconds, or a date. Nil for any other text.
  static func duration(_ text: String, now: Date) -> Duration? {
    if let seconds = Int(text) { return .seconds(min(max(seconds, 0), longest)) }
    let format = DateFormatter()
    format.locale = Locale(identifier: "en_US_POSIX")
    format.timeZone = TimeZone(identifier: "GMT")
    format.dateFormat = "EEE, dd MMM yyyy HH:mm:ss zzz"
    guard text.utf8.count < 64, let date = format.date(from: text) else { return nil }
    return .seconds(Int(min(max(date.timeIntervalSince(now).rounded(.up), 0), Double(longest))))
  }
}
