import AsyncHTTPClient
import Crypto
import Foundation
import MadangCore
import NIOCore
import NIOHTTP1

/// Signed calls to an S3 server about one bucket. Each has a time limit and, except for downloads, a limit on the answer's
/// size; temporary failures (5xx, `SlowDown`, lost connections) are retried. All calls can be repeated safely.
package struct S3Client: Sendable {
  /// Time limits and numbers of attempts.
  package struct Patience: Sendable {
    let attempts: Int
    /// For all attempts of one call together. A large upload has one more second for each ``bytesPerSecond``.
    let total: Duration
    /// The longest wait before the second attempt; later ones wait up to twice as long as the one before.
    let firstDelay: Duration

    package init(attempts: Int = 4, total: Duration = .seconds(30), firstDelay: Duration = .milliseconds(100)) {
      (self.attempts, self.total, self.firstDelay) = (attempts, total, firstDelay)
    }

    /// The slowest speed at which a file may be sent.
    static let bytesPerSecond = 64 << 10
  }

  struct Call: Sendable {
    enum Body: Sendable {
      case bytes([UInt8])
      case file(FilePart)
    }

    var method: HTTPMethod
    /// The key; empty for the bucket itself.
    var key = ""
    var query: [(String, String)] = []
    var headers: [(String, String)] = []
    var body = Body.bytes([])

    fileprivate var size: Int {
      switch body {
      case .bytes(let bytes): bytes.count
      case .file(let part): part.size
      }
    }
  }

  struct Answer: Sendable {
    let headers: HTTPHeaders
    let body: [UInt8]
  }

  let bucket: String
  private let server: S3Server
  private let signature: AWSSignature
  private let sessionToken: String
  private let now: @Sendable () -> Int64
  let patience: Patience

  /// Uploads and small calls do not wait for connections that slow downloads hold.
  private static let client = httpClient(connections: 64)
  /// ``Ledger`` limits their number.
  private static let downloads = httpClient(connections: 100_000)
  /// A list of 1000 names of 1024 bytes, each as `%XX`.
  private static let maxAnswer = 4 << 20
  private static let maxRefusal = 64 << 10

  /// - Parameter now: Real time, as at the bucket's server; not a clock that tests move.
  package init(
    bucket: String, _ settings: S3Settings, patience: Patience = Patience(),
    now: @escaping @Sendable () -> Int64 = Clock.systemTime
  ) {
    self.bucket = bucket
    self.patience = patience
    self.now = now
    server = S3Server(bucket: bucket, settings)
    signature = AWSSignature(
      accessKeyID: settings.accessKeyID, secretAccessKey: settings.secretAccessKey,
      region: settings.region.isEmpty ? "us-east-1" : settings.region, service: "s3")
    sessionToken = settings.sessionToken
  }

  /// Makes a call and reads its whole answer. Throws ``S3Error``, or `CancellationError`.
  /// - Parameter check: Throws ``S3Error`` for an answer that is a failure despite its status.
  @discardableResult
  func send(_ call: Call, _ check: @escaping @Sendable (Answer) throws -> Void = { _ in }) async throws -> Answer {
    try await trying(call) { deadline in
      try await within(deadline, call.method.rawValue) {
        let response = try await execute(call, by: deadline, with: Self.client)
        let body = try await response.body.collect(upTo: Self.maxAnswer)
        let answer = Answer(headers: response.headers, body: Array(body.readableBytesView))
        try check(answer)
        return answer
      }
    }
  }

  /// Makes a call and leaves the body to be read; the wait for each piece of it is limited.
  func open(_ call: Call) async throws -> HTTPClientResponse {
    try await trying(call) { deadline in
      try await within(deadline, call.method.rawValue) {
        try await execute(call, by: deadline, with: Self.downloads)
      }
    }
  }

  /// One attempt, up to the head of the answer. Throws ``S3Error`` unless it succeeds.
  private func execute(_ call: Call, by deadline: ContinuousClock.Instant, with client: HTTPClient) async throws
    -> HTTPClientResponse
  {
    let response = try await client.execute(signed(call), timeout: .nanoseconds((deadline - .now).nanoseconds))
    guard !(200..<300).contains(response.status.code) else { return response }
    let body = try await response.body.collect(upTo: Self.maxRefusal)
    let error = try? ElementScanner.read(Array(body.readableBytesView))
    throw S3Error(
      refusing: call.method, status: Int(response.status.code), error, reason: response.status.reasonPhrase)
  }

  private func signed(_ call: Call) -> HTTPClientRequest {
    let path = server.path(call.key).percentEncoded(keeping: UInt8(ascii: "/"))
    let query = AWSSignature.encoded(query: call.query)
    var request = HTTPClientRequest(url: server.origin + path + (query.isEmpty ? "" : "?" + query))
    request.method = call.method
    let hash: String
    switch call.body {
    case .bytes(let bytes):
      hash = SHA256.hash(data: bytes).hex
      if !bytes.isEmpty || call.method == .PUT || call.method == .POST {
        request.body = .bytes(ByteBuffer(bytes: bytes))
      }
    case .file(let part):
      hash = part.sha256
      request.body = .stream(part, length: .known(Int64(part.size)))
    }
    let date = Date(timeIntervalSince1970: Double(now() / 1000)).formatted(.iso8601)
      .replacing("-", with: "").replacing(":", with: "")
    var headers = call.headers + [("host", server.host), ("x-amz-content-sha256", hash), ("x-amz-date", date)]
    if !sessionToken.isEmpty { headers.append(("x-amz-security-token", sessionToken)) }
    let authorization = signature.authorization(
      method: call.method.rawValue, path: path, query: call.query, headers: headers, payloadHash: hash, date: date)
    for (name, value) in headers + [("authorization", authorization)] { request.headers.add(name: name, value: value) }
    return request
  }

  /// Retries until it succeeds, fails permanently, or the time is over. Delays are random, so that many callers do not
  /// return at once.
  private func trying<Success: Sendable>(
    _ call: Call, _ body: (ContinuousClock.Instant) async throws -> Success
  ) async throws -> Success {
    let deadline = ContinuousClock.now + patience.total + .seconds(call.size / Patience.bytesPerSecond)
    var longest = patience.firstDelay
    var attempt = 1
    while true {
      let problem: S3Error
      do { return try await body(deadline) } catch let error as S3Error { problem = error } catch {
        try Task.checkCancellation()
        problem = S3Error(call: call.method.rawValue, cause: .connection(error))
      }
      let delay = longest * Double.random(in: 0.5...1)
      guard problem.isPassing, attempt < patience.attempts, .now + delay < deadline else { throw problem }
      try await Task.sleep(for: delay)
      longest *= 2
      attempt += 1
    }
  }

  /// The client's own time limit ends with the head of an answer.
  private func within<Success: Sendable>(
    _ deadline: ContinuousClock.Instant, _ name: String, _ body: @escaping @Sendable () async throws -> Success
  ) async throws -> Success {
    try await withThrowingTaskGroup(of: Success?.self) { group in
      group.addTask { try await body() }
      group.addTask {
        try await Task.sleep(until: deadline)
        return nil
      }
      defer { group.cancelAll() }
      guard let success = try await group.next() ?? nil else { throw S3Error(call: name, cause: .timedOut) }
      return success
    }
  }

  /// Follows no redirects, because a signature is valid for one server.
  private static func httpClient(connections: Int) -> HTTPClient {
    var configuration = HTTPClient.Configuration(
      redirectConfiguration: .disallow, timeout: .init(connect: .seconds(3), read: .seconds(20)))
    configuration.httpVersion = .http1Only
    configuration.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = connections
    // Attempts are counted here.
    configuration.connectionPool.retryConnectionEstablishment = false
    return HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
  }
}
