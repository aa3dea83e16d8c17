import HTTPTypes
import Hummingbird
import MadangAPI
import MadangCore
import MadangOperations
import NIOCore

/// Health checks, metrics and the API's description.
enum OperatorsEndpoints {
  static func add(to routes: inout RouteTable<OpenRoute>) {
    // HEAD is answered as GET; the listener leaves the body out (RFC 9110 section 9.3.2). HAProxy's `option httpchk` checks health with
    // OPTIONS.
    let (get, check) = (["GET", "HEAD"], ["GET", "HEAD", "OPTIONS"])
    routes.add(check, "livez") { received, _ in
      if let sight = received.service.reports.doctor.sight(received) { return .json(try WireEncoder.encode(sight)) }
      return .json(Array(#"{"status":"ok"}"#.utf8))
    }
    routes.add(check, "readyz") { received, _ in
      let problem = await received.service.reports.readiness.problem()
      return readiness(problem, isDetailed: received.isOfOperator)
    }
    routes.add(get, "metrics") { received, _ in
      let isPublic = received.service.settings.metricsArePublic && received.service.isForOperators
      return isPublic || received.isOfOperator ? received.service.metricsPage() : nil
    }
    routes.add(get, "openapi/{document}") { received, parameters in
      parameters["document"].flatMap(DocumentDownload.named)?.response(to: received.request)
    }
  }

  /// 200 when the server can do its work, else 503; the reason is for operators only.
  private static func readiness(_ problem: String?, isDetailed: Bool) -> Response {
    var status = ["status": problem == nil ? "ok" : "unavailable"]
    if isDetailed { status["reason"] = problem }
    return .json((try? WireEncoder.encode(status)) ?? [], status: problem == nil ? .ok : .serviceUnavailable)
  }
}

extension RouteTable<OpenRoute> {
  fileprivate mutating func add(
    _ methods: [String], _ template: String,
    _ handler: @escaping @Sendable (ReceivedRequest, PathParameters) async throws -> Response?
  ) {
    add(methods, MadangAPI.Route.segments(of: template), OpenRoute(kind: .operators, handler: handler))
  }
}

extension Service {
  /// Whether the listener for clients serves operators too: there is no other one for them.
  var isForOperators: Bool { settings.operations == nil }
}

extension ReceivedRequest {
  /// Whether it comes from an operator: by the listener for operators or, where there is none, from a program of this machine.
  fileprivate var isOfOperator: Bool { isForOperators || service.isForOperators && isLocal }

  /// The path behind `/_dev`, and behind the token if it is there; nil if this client may make no development calls.
  var developmentPath: ArraySlice<String>? {
    let path = target.segments.dropFirst()
    if let token = path.first, isDevelopmentToken(token) { return path.dropFirst() }
    let bearer = request.headers[.authorization].flatMap { $0.hasPrefix("Bearer ") ? $0.dropFirst(7) : nil }
    return bearer.map(isDevelopmentToken) ?? false || isLocal ? path : nil
  }

  private func isDevelopmentToken(_ text: some StringProtocol) -> Bool {
    let token = service.settings.developmentToken
    // Equal digests reveal nothing about a wrong token.
    return !token.isEmpty && KeyHash(String(text)) == KeyHash(token)
  }

  /// Whether a program of this machine asks, by a name of this machine: not through a proxy, and not a web page whose name
  /// was made to lead here.
  private var isLocal: Bool {
    guard client.isLocal, request.head.authority.flatMap({ Authority($0) })?.isLocal ?? false else { return false }
    if let origin = request.headers[.origin] { return Authority.isLocalPage(origin) }
    // Browsers name no origin with what pages load by GET.
    if let referer = request.headers[.referer] { return Authority.isLocalPage(referer) }
    return !request.isFromAnotherSite
  }
}

extension Response {
  static var notLocal: Response {
    let error =
      "development calls are for programs on this machine that call it by a name like localhost, and with 'madang serve "
      + "--dev --lan' for programs that send its token: /_dev/TOKEN/..., or Authorization: Bearer TOKEN"
    return .json(Array("{\"error\":\"\(error)\"}".utf8), status: .forbidden)
  }
}
