import Foundation
import Hummingbird
import MadangAPI
import MadangCore
import Storage

extension Service {
  /// Health checks, the API's description and, in development mode, the development calls; they need no API key. Nil for
  /// all other paths.
  func operations(_ request: Request, _ target: RequestTarget, _ context: Context) async throws -> Response? {
    switch (request.method, target.segments) {
    case (.get, ["livez"]): return .json(Array(#"{"status":"ok"}"#.utf8))
    case (.get, ["readyz"]): return await readiness()
    case (.get, let path) where path.count == 2 && path[0] == "openapi":
      return DocumentDownload.named(path[1])?.response(to: request)
    case (.post, ["_dev", "clock"]) where settings.isDevelopment: return try await advanceClock(request)
    default: return nil
    }
  }

  private struct Status: Encodable {
    let status: String
    let reason: String?
  }

  /// 200 when the database answers and can write, else 503 with the reason.
  private func readiness() async -> Response {
    do {
      try await madang.database.ping()
      try await madang.files.ping()
      return .json(try WireEncoder.encode(Status(status: "ok", reason: nil)))
    } catch {
      let reason = (error as? StorageError)?.message ?? "\(error)"
      let body = try? WireEncoder.encode(Status(status: "unavailable", reason: reason))
      return .json(body ?? [], status: .serviceUnavailable)
    }
  }

  private struct Advance: Decodable {
    let advance: Double
  }

  private struct Now: Encodable {
    let now: String
  }

  /// `POST /_dev/clock {"advance": SECONDS}`: tokens, limits and dates follow.
  private func advanceClock(_ request: Request) async throws -> Response {
    let body = try await request.body.collect(upTo: 1024)
    guard let call = try? JSONDecoder().decode(Advance.self, from: Data(body.readableBytesView)),
      (0...1e9).contains(call.advance)
    else {
      return .json(Array(#"{"error":"advance: seconds from 0 to 1000000000"}"#.utf8), status: .badRequest)
    }
    madang.clock.advance(milliseconds: Int64(call.advance * 1000))
    return .json(try WireEncoder.encode(Now(now: WireDate.string(madang.clock.now))))
  }
}
