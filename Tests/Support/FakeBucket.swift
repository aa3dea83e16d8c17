import Hummingbird
import Logging
import MadangOperations
import MadangProviders
import MadangServer
import NIOCore
import Synchronization

/// A bucket in memory whose server can be made to fail. It checks no signatures and supports no multipart uploads; the tests of
/// `Scripts/with-s3` use real servers for these.
package final class FakeBucket: Sendable {
  package enum Conduct: Sendable {
    case good
    /// Does nothing and answers with this error.
    case refusing(Int, code: String)
    /// Executes the call but answers 503.
    case losingAnswers
    /// Never answers.
    case silent
    /// Sends this many bytes of an object, then breaks the connection.
    case breaking(after: Int)
    /// Executes the call after this function returns.
    case waiting(@Sendable () async -> Void)
    /// Gives this answer to every call.
    case answering(Int, String, contentRange: String? = nil)
  }

  private struct State {
    var objects: [String: [UInt8]] = [:]
    var calls: [String] = []
    var conduct: @Sendable (String) -> Conduct = { _ in .good }
  }

  private struct Broken: Error {}

  private let state = Mutex(State())

  /// The calls so far, for example `PUT /bucket/profiles/1.png`.
  package var calls: [String] { state.withLock(\.calls) }
  package var keys: [String] {
    state.withLock { $0.objects.keys.map { String($0.dropFirst("/bucket/".count)) }.sorted() }
  }

  /// - Parameter conduct: Decides the behaviour for a call, for example `PUT /bucket/profiles/1.png`.
  package func behave(_ conduct: @escaping @Sendable (String) -> Conduct) { state.withLock { $0.conduct = conduct } }

  /// The path of calls before the name of the bucket.
  private let prefix: String

  private init(prefix: String) { self.prefix = prefix }

  /// Serves on a free port while `body` runs, with settings for this server.
  /// - Parameter path: The path of the endpoint.
  package static func run(
    at path: String = "", _ body: (FakeBucket, ServerSettings) async throws -> Void
  ) async throws {
    let bucket = FakeBucket(prefix: path.hasSuffix("/") ? String(path.dropLast()) : path)
    let respond = { @Sendable (request: Request) in try await bucket.respond(to: request) }
    try await withServer(respond) { url in
      var settings = World.settings
      settings.filesHome = "s3://bucket"
      settings.s3.endpoint = url + path
      settings.s3.accessKeyID = "key"
      settings.s3.secretAccessKey = "secret"
      try await body(bucket, settings)
    }
  }

  private func respond(to request: Request) async throws -> Response {
    let bytes = Array(try await request.body.collect(upTo: 1 << 26).readableBytesView)
    guard request.uri.path.hasPrefix(prefix) else { return .error(404, "NoSuchBucket") }
    let path = String(request.uri.path.dropFirst(prefix.count))
    let call = "\(request.method.rawValue) \(path)"
    let conduct = state.withLock { state in
      state.calls.append(call)
      return state.conduct
    }(call)
    var limit = Int.max
    switch conduct {
    case .good: break
    case .refusing(let status, let code): return .error(status, code)
    case .losingAnswers:
      _ = answer(request, path, bytes, limit)
      return .error(503, "SlowDown")
    case .silent: try await Task.sleep(for: .seconds(3600))
    case .breaking(let after): limit = after
    case .waiting(let wait): await wait()
    case .answering(let status, let text, let contentRange):
      var response = Response.xml(status, text)
      response.headers[.contentRange] = contentRange
      return response
    }
    return answer(request, path, bytes, limit)
  }

  private func answer(_ request: Request, _ path: String, _ bytes: [UInt8], _ limit: Int) -> Response {
    let stored = state.withLock { $0.objects[path] }
    switch request.method {
    case .put:
      let source = request.headers[.init("x-amz-copy-source") ?? .via]
      let copied = source.flatMap { source in state.withLock { $0.objects[source] } }
      if source != nil && copied == nil { return .error(404, "NoSuchKey") }
      state.withLock { $0.objects[path] = copied ?? bytes }
      return .xml(200, copied == nil ? "" : "<CopyObjectResult/>")
    case .delete:
      state.withLock { $0.objects[path] = nil }
      return Response(status: .noContent)
    case .get where path == "/bucket":
      let prefix = String(request.uri.queryParameters["prefix"] ?? "")
      let listed = keys.filter { $0.hasPrefix(prefix) }.map {
        "<Contents><Key>\($0)</Key><LastModified>2026-11-23T00:00:00.000Z</LastModified></Contents>"
      }
      return .xml(200, "<ListBucketResult>\(listed.joined())<IsTruncated>false</IsTruncated></ListBucketResult>")
    case .get:
      guard let stored else { return .error(404, "NoSuchKey") }
      let range = (request.headers[.range] ?? "").dropFirst("bytes=".count).split(separator: "-").compactMap { Int($0) }
      guard range.count == 2 else { return Response(status: .ok, body: .init(byteBuffer: ByteBuffer(bytes: stored))) }
      let part = Array(stored[range[0]...range[1]])
      return Response(
        status: .partialContent, headers: [.contentRange: "bytes \(range[0])-\(range[1])/\(stored.count)"],
        body: ResponseBody(contentLength: part.count) { writer in
          try await writer.write(ByteBuffer(bytes: part.prefix(limit)))
          if part.count > limit { throw Broken() }
          try await writer.finish(nil)
        })
    default: return Response(status: stored == nil && path != "/bucket" ? .notFound : .ok)
    }
  }
}

extension Response {
  fileprivate static func xml(_ status: Int, _ text: String) -> Response {
    Response(status: .init(code: status), body: .init(byteBuffer: ByteBuffer(string: text)))
  }

  fileprivate static func error(_ status: Int, _ code: String) -> Response {
    xml(status, "<?xml version=\"1.0\"?><Error><Code>\(code)</Code><Message>words</Message></Error>")
  }
}
