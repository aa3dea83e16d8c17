import HTTPTypes
import Hummingbird
import MadangAPI
import MadangCore
import MadangOperations

/// Which pages of other websites may call the API (the CORS protocol of https://fetch.spec.whatwg.org). Browsers add no cookies to their
/// calls, so a page has only the key and the token that it knows. Pages of this server and sockets have rules of their own.
struct CrossOrigin: Sendable {
  private let listed: Set<String>
  /// Whether pages of this machine may call as well, as in development mode.
  private let allowsLoopback: Bool
  /// The first segments of the API's paths.
  private let versions: Set<String>

  init(_ settings: ServerSettings, _ routes: Routes) {
    listed = Set(settings.origins.map { $0.lowercased() })
    allowsLoopback = settings.isDevelopment
    let paths = EditionName.allCases.flatMap { routes.of($0).routes.compactMap(\.segments.first) }
    versions = Set(paths.compactMap { if case .literal(let text) = $0 { text } else { nil } })
  }

  /// Lets the page of this request read the answer, if it may.
  func share(_ response: inout Response, with received: ReceivedRequest) {
    guard isOn, isCall(received) else { return }
    let origin = received.request.headers.value(of: .origin)
    // Without listed origins, answers to other programs stay what they are.
    guard origin != nil || !listed.isEmpty else { return }
    response.headers.append(HTTPField(name: .vary, value: "Origin"))
    guard let origin, allows(origin) else { return }
    response.headers[.accessControlAllowOrigin] = origin
    response.headers[.accessControlExposeHeaders] = Self.exposed
  }

  /// The answer to a browser that asks whether a page may make a call; nil if the request asks nothing, or the page may not.
  func preflight(_ received: ReceivedRequest) -> Response? {
    let headers = received.request.headers
    guard isOn, received.request.method == .options, headers.contains(.accessControlRequestMethod), isCall(received),
      let origin = headers[.origin], allows(origin)
    else { return nil }
    return Response(
      status: .noContent,
      headers: [
        .accessControlAllowOrigin: origin, .accessControlAllowMethods: "GET, HEAD, POST, PUT, DELETE",
        .accessControlAllowHeaders: Self.accepted, .accessControlMaxAge: "600",
        .vary: "Origin, Access-Control-Request-Method, Access-Control-Request-Headers",
      ])
  }

  private var isOn: Bool { allowsLoopback || !listed.isEmpty }

  private func isCall(_ received: ReceivedRequest) -> Bool {
    received.target.segments.first.map(versions.contains) ?? false
  }

  private func allows(_ origin: String) -> Bool {
    if listed.contains(origin.lowercased()) { return true }
    guard allowsLoopback, let url = PublicURL(origin), url.origin == origin.lowercased() else { return false }
    return isLoopback(url.host)
  }

  /// The fields of answers that a page may read, besides those of all answers.
  private static let exposed =
    ([.retryAfter, .reason, .explanation, .contentDisposition, .contentRange, .eTag] as [HTTPField.Name])
    .map(\.rawName).joined(separator: ", ")

  /// The fields that a page may send, besides those of all pages.
  private static let accepted =
    ([.apiKey, .authorization, .refreshToken, .contentType, .ifNoneMatch, .ifRange, .range] as [HTTPField.Name])
    .map(\.rawName).joined(separator: ", ")
}
