import HTTPTypes
import Hummingbird
import MadangAPI
import MadangCore
import MadangOperations
import NIOCore
import Storage

/// The first segments of paths outside the API.
enum OperationsPath: String {
  case livez, readyz, metrics, openapi
  case development = "_dev"
}

extension Service {
  /// Health checks, metrics, the API's description and, in development mode, the development calls; they need no API key.
  /// Nil for all other paths.
  ///
  /// - Parameter isPrivate: Whether the request came through the listener for operators only.
  func operations(_ request: Request, _ target: RequestTarget, _ context: Context, isPrivate: Bool = false)
    async throws -> Response?
  {
    guard let path = target.segments.first.flatMap(OperationsPath.init) else { return nil }
    let rest = target.segments.dropFirst()
    // HEAD is answered as GET; the listener leaves the body out (RFC 9110 section 9.3.2). HAProxy's `option httpchk` checks health with
    // OPTIONS.
    let isCheck = path == .livez || path == .readyz
    let method = request.method == .head || request.method == .options && isCheck ? .get : request.method
    switch (path, method) {
    case (.livez, .get) where rest.isEmpty:
      if let sight = doctorProbe.sight(request, context, self) { return .json(try WireEncoder.encode(sight)) }
      return .json(Array(#"{"status":"ok"}"#.utf8))
    case (.readyz, .get) where rest.isEmpty:
      return readiness(
        await readinessProbe.problem(), isDetailed: isPrivate || isForOperators && isLocal(request, context))
    case (.metrics, .get) where rest.isEmpty && (isPrivate || isForOperators && mayReadMetrics(request, context)):
      return metricsPage()
    case (.development, let method) where isPrivate || isForOperators:
      guard let development else { return nil }
      guard let path = developmentPath(of: rest, request, context) else { return .notLocal }
      return try await development.respond(method, path, target, request)
    case (.openapi, .get) where rest.count == 1:
      return rest.first.flatMap(DocumentDownload.named)?.response(to: request)
    default: return nil
    }
  }

  /// The path after `/_dev` and the token, if any; nil if this client may not make development calls.
  func developmentPath(of path: ArraySlice<String>, _ request: Request, _ context: Context)
    -> ArraySlice<String>?
  {
    if let token = path.first, isDevelopmentToken(token) { return path.dropFirst() }
    let bearer = request.headers[.authorization].flatMap { $0.hasPrefix("Bearer ") ? $0.dropFirst(7) : nil }
    return bearer.map(isDevelopmentToken) ?? false || isLocal(request, context) ? path : nil
  }

  private func isDevelopmentToken(_ text: some StringProtocol) -> Bool {
    let token = settings.developmentToken
    // Comparing digests does not reveal how much of a wrong token was right.
    return !token.isEmpty && KeyHash(String(text)) == KeyHash(token)
  }

  /// Whether this listener also serves operators, because there is no separate one.
  var isForOperators: Bool { settings.operations == nil }

  /// Only programs of this machine, if the settings count loopback addresses as clients, unless settings allow more.
  private func mayReadMetrics(_ request: Request, _ context: Context) -> Bool {
    settings.metricsArePublic || isLocal(request, context)
  }

  /// Whether the caller is a program of this machine that uses a name of this machine: not a proxy, and not a web page
  /// under a foreign name that leads here.
  private func isLocal(_ request: Request, _ context: Context) -> Bool {
    let client = client(request.headers, peer: context.channel.remoteAddress)
    guard client.isLocal, isLocalName(request.head.authority) else { return false }
    if let origin = request.headers[.origin] { return isLocalPage(origin) }
    // Browsers send no origin with resources that pages load by GET.
    if let referer = request.headers[.referer] { return isLocalPage(referer) }
    return !request.isFromAnotherSite
  }

  private func isLocalPage(_ url: String) -> Bool {
    isLocalName(url.firstRange(of: "://").map { String(url[$0.upperBound...].prefix { $0 != "/" }) })
  }

  private func isLocalName(_ authority: String?) -> Bool {
    authority.flatMap { Authority($0) }?.isLocal ?? false
  }

  /// 200 if the server can do its work, otherwise 503; the reason is shown to operators only.
  private func readiness(_ problem: String?, isDetailed: Bool) -> Response {
    var status = ["status": problem == nil ? "ok" : "unavailable"]
    if isDetailed { status["reason"] = problem }
    return .json((try? WireEncoder.encode(status)) ?? [], status: problem == nil ? .ok : .serviceUnavailable)
  }
}

extension MadangServer {
  /// Answers operators on a separate listener.
  func answerOperators(_ request: Request, over channel: any NIOCore.Channel) async throws -> Answer {
    let (target, context) = (RequestTarget(request.head.path ?? ""), Context(channel: channel, logger: service.logger))
    return Answer(
      response: try await service.operations(request, target, context, isPrivate: true) ?? Response(status: .notFound))
  }
}

extension HTTPField.Name {
  // A valid name by inspection, which `init?` cannot know.
  fileprivate static let referer = Self("Referer") ?? .via
}

extension Response {
  static var notLocal: Response {
    let error =
      "development calls are for programs on this machine that call it by a name like localhost, and with 'madang serve "
      + "--dev --lan' for programs that send its token: /_dev/TOKEN/..., or Authorization: Bearer TOKEN"
    return .json(Array("{\"error\":\"\(error)\"}".utf8), status: .forbidden)
  }
}
