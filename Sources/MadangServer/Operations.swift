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
    case (.get, ["metrics"]) where mayReadMetrics(request, context): return metricsPage()
    case (let method, let path) where path.first == "_dev":
      return try await development?.respond(method, path.dropFirst(), target, request)
    case (.get, let path) where path.count == 2 && path[0] == "openapi":
      return DocumentDownload.named(path[1])?.response(to: request)
    default: return nil
    }
  }

  /// On this machine only, unless the operator wants otherwise.
  private func mayReadMetrics(_ request: Request, _ context: Context) -> Bool {
    settings.metricsArePublic
      || isLoopback(address(headers: request.headers, peer: context.channel.remoteAddress))
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
}
