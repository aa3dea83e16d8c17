import HTTPTypes
import Hummingbird
import MadangCore
import MadangServer
import NIOCore

/// `GET /_dev/seed`: the server's data as a seed.
struct SeedCalls: Sendable {
  let people: People

  func respond(to call: DevelopmentCall) async throws -> Response? {
    guard call.method == .get, call.path == ["seed"] else { return nil }
    try call.refuseQuery(besides: ["format", "name"])
    guard let format = SeedText.Format(rawValue: call.query("format") ?? "yaml") else {
      throw WorldError("format: yaml or json")
    }
    let lease = try people.server(over: call.channel)
    return try await lease.answering { madang in
      let export = try await SeedExport(madang, name: call.query("name") ?? "exported", format)
      let body = ResponseBody { writer in
        var (export, writer) = (export, writer)
        try await export.write { try await writer.write(ByteBuffer(bytes: $0)) }
        try await writer.finish(nil)
      }
      let type = format == .yaml ? "application/yaml" : "application/json"
      return Response(
        status: .ok, headers: [.contentType: "\(type); charset=utf-8", .cacheControl: "no-store"], body: body
      ).holding(lease)
    }
  }
}
