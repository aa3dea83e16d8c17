import Foundation
import Hummingbird

/// `bare PORT FILE`: answers `GET /v1/users/me` on loopback with what the file holds, and the headers that Madang sends.
/// No key, no token, no database, no encoding: what is left is the framework's own part of a request.
@main
struct Bare {
  static func main() async throws {
    let arguments = CommandLine.arguments
    guard arguments.count == 3, let port = Int(arguments[1]) else {
      FileHandle.standardError.write(Data("usage: bare PORT FILE\n".utf8))
      exit(64)
    }
    let body = ByteBuffer(bytes: try Data(contentsOf: URL(fileURLWithPath: arguments[2])))
    let headers: HTTPFields = [
      .contentType: "application/json; charset=utf-8", .cacheControl: "no-store",
      .init("X-Content-Type-Options")!: "nosniff",
      .init("Content-Security-Policy")!: "default-src 'none'; frame-ancestors 'none'",
    ]
    let router = Router()
    router.get("v1/users/me") { _, _ in
      Response(status: .ok, headers: headers, body: ResponseBody(byteBuffer: body))
    }
    let application = Application(
      router: router,
      configuration: ApplicationConfiguration(address: .hostname("127.0.0.1", port: port), serverName: nil),
      onServerRunning: { channel in
        FileHandle.standardOutput.write(Data("bare listening on \(channel.localAddress?.port ?? 0)\n".utf8))
      })
    try await application.runService()
  }
}
