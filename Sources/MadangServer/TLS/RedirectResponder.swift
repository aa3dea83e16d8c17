import HTTPTypes
import Hummingbird
import MadangCore
import MadangOperations

/// Answers plain HTTP beside a server that speaks TLS: pages that a browser opens are sent to HTTPS, at the host of `public.url`. All else
/// is refused, as it has sent its secrets in the clear already, and would go on doing so unnoticed.
struct RedirectResponder {
  let service: Service
  /// Of the port that speaks TLS.
  let listening: Listening

  private static let refusal = "This server speaks HTTPS only: use https:// or wss://\n"

  func respond(to request: Request) async throws -> Response {
    let path = request.head.path ?? "/"
    guard [.get, .head].contains(request.method), LinkPage.place(in: RequestTarget(path)) != nil,
      let place = try await place()
    else {
      return Response(
        status: .forbidden, headers: [.contentType: "text/plain"],
        body: .init(byteBuffer: ByteBuffer(string: Self.refusal)))
    }
    return Response(status: .permanentRedirect, headers: [.location: "https://\(place)\(path)"])
  }

  /// Where people reach the server over TLS; nil if the settings do not say. The `Host` of a request in the clear may be anything.
  private func place() async throws -> String? {
    guard let url = PublicURL(service.madang.setting(\.publicURL)) else { return nil }
    if url.isSecure { return url.authority }
    let port = try await listening.port
    return port == 443 ? url.host : "\(url.host):\(port)"
  }
}
