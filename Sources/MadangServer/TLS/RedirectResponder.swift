import HTTPTypes
import Hummingbird

/// Answers plain HTTP beside a server that speaks TLS: what reads is sent to HTTPS, what writes is refused, since it has sent its
/// secrets in the clear already, and would go on doing so unnoticed.
struct RedirectResponder {
  /// Of the port that speaks TLS.
  let listening: Listening

  private static let refusal = "This server speaks HTTPS only: use https:// or wss://\n"

  func respond(to request: Request) async throws -> Response {
    guard request.method == .get || request.method == .head, let host = request.head.authority?.hostName else {
      return Response(
        status: .forbidden, headers: [.contentType: "text/plain"],
        body: .init(byteBuffer: ByteBuffer(string: Self.refusal)))
    }
    let port = try await listening.port
    let place = port == 443 ? host : "\(host):\(port)"
    return Response(status: .permanentRedirect, headers: [.location: "https://\(place)\(request.head.path ?? "/")"])
  }
}

extension String {
  /// Of `example.org:8080` or `[::1]:8080` what is before the port; nil if it is no name of a host.
  fileprivate var hostName: String? {
    let end = lastIndex(of: ":").flatMap { self[$0...].contains("]") ? nil : $0 } ?? endIndex
    let name = self[..<end]
    let isName = name.utf8.allSatisfy { byte in
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "-"), UInt8(ascii: "_"),
        UInt8(ascii: "["), UInt8(ascii: "]"), UInt8(ascii: ":"):
        true
      default: false
      }
    }
    return isName && !name.isEmpty ? String(name) : nil
  }
}
