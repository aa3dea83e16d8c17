import HTTPTypes
import Hummingbird
import MadangCore
import MadangOperations

/// Answers plain HTTP beside a server with TLS: GET requests of pages are redirected to HTTPS, at the host of `public.url`. Authorities find
/// the proofs here that they look for (`http-01`).
/// All other requests are refused: they have already sent their secrets without encryption, and a redirect would hide that.
struct RedirectResponder {
  let service: Service
  /// The start of the listener with TLS, which has the port.
  let start: ListenerStart
  /// Nil if the certificate is in files.
  let certificates: CertificateWork?

  private static let refusal = "This server accepts HTTPS only: use https:// or wss://\n"

  func respond(to request: Request) async throws -> Response {
    let path = request.head.path ?? "/"
    let target = RequestTarget(path)
    if let proof = proof(request, at: target) { return proof }
    guard [.get, .head].contains(request.method), isPage(target), let place = try await place() else {
      return Response(
        status: .forbidden, headers: [.contentType: "text/plain"],
        body: .init(byteBuffer: ByteBuffer(string: Self.refusal)))
    }
    return Response(status: .permanentRedirect, headers: [.location: "https://\(place)\(path)"])
  }

  /// The file that an authority looks for (RFC 8555, section 8.3).
  private func proof(_ request: Request, at target: RequestTarget) -> Response? {
    guard request.method == .get, target.segments.count == 3,
      target.segments[..<2] == [".well-known", "acme-challenge"], let text = certificates?.proof(target.segments[2])
    else { return nil }
    return Response(
      status: .ok, headers: [.contentType: "application/octet-stream"],
      body: .init(byteBuffer: ByteBuffer(string: text)))
  }

  /// Whether people may type the path: that of a link, or the root where the chat for browsers is.
  private func isPage(_ target: RequestTarget) -> Bool {
    LinkPage.isPath(target) || target.segments.isEmpty && service.settings.hasWebChat
  }

  /// The server's HTTPS address for people; nil if the settings have none. The `Host` of a request without TLS may be
  /// forged.
  private func place() async throws -> String? {
    guard let url = PublicURL(service.madang.setting(\.publicURL)) else { return nil }
    if url.isSecure { return url.authority }
    let port = try await start.port
    return port == 443 ? url.host : "\(url.host):\(port)"
  }
}
