import Foundation
import HTTPTypes
import Hummingbird
import MadangAPI
import MadangCore
import MadangOperations
import MadangServer
import Storage

/// The administrator's console at `/admin/`: its files, and its calls below `/admin/api`.
struct AdminConsole: Annex {
  let cookie: WebCookie
  private let files: PageSet
  private let settings: AdminConsoleSettings
  private let hasTLS: Bool
  let version: String
  let totals = Totals()
  let exports: Exports

  /// All its calls.
  static let routes = AdminRoutes { routes in
    AdminSessionCalls.add(to: &routes)
    AdministratorCalls.add(to: &routes)
    AccountAdminCalls.add(to: &routes)
    WorkspaceAdminCalls.add(to: &routes)
    AdmissionAdminCalls.add(to: &routes)
    ContentAdminCalls.add(to: &routes)
    RecordAdminCalls.add(to: &routes)
    OverviewCalls.add(to: &routes)
    HealthCalls.add(to: &routes)
    BackupCalls.add(to: &routes)
    ExportCalls.add(to: &routes)
  }

  /// Nil if the settings turn it off.
  /// - Parameter key: Secret, and the same on all servers of a database.
  init?(_ settings: ServerSettings, key: [UInt8]) {
    guard settings.web.admin.isOn else { return nil }
    self.settings = settings.web.admin
    files = PageFiles.admin(settings.face)
    cookie = WebCookie("madang_admin", path: "/admin/", key: Array("admin".utf8) + key, seconds: nil)
    hasTLS = settings.tls.isUsed
    version = "Madang \(settings.version)"
    exports = Exports(in: settings.dataDirectory.appending(path: "exports"))
  }

  func call(in head: HTTPRequest) -> AnnexCall? { nil }

  /// For addresses that may not use it, nothing is there.
  func answer(_ received: ReceivedRequest) async throws -> Answer? {
    let path = received.target.segments
    guard path.first == "admin", !received.isForOperators else { return nil }
    guard settings.addresses.isEmpty || received.isFrom(settings.addresses) else { return nil }
    let isCall = path.count > 2 && path[1] == "api"
    guard let response = isCall ? await call(received, Array(path.dropFirst(2))) : file(received, path) else {
      return nil
    }
    return Answer(response: safe(response))
  }

  private func file(_ received: ReceivedRequest, _ path: [String]) -> Response? {
    guard let file = files.response(to: received.request, at: path.dropFirst()) else { return nil }
    // Addresses in the page are relative.
    guard path.count == 1, !(received.request.head.path ?? "").prefix(while: { $0 != "?" }).hasSuffix("/") else {
      return file
    }
    return Response(status: .permanentRedirect, headers: [.location: "/admin/"])
  }

  private func safe(_ response: Response) -> Response {
    var response = response
    for field in HTTPFields.ofPages where response.headers[field.name] == nil { response.headers.append(field) }
    response.headers[.robotsTag] = "noindex"
    if hasTLS { response.headers[.strictTransportSecurity] = "max-age=31536000" }
    return response
  }

  private func call(_ received: ReceivedRequest, _ path: [String]) async -> Response {
    do { return try await answer(received, path) } catch let refusal as AdminRefusal { return refusal.response } catch {
      guard let refusal = AdminRefusal(error) else {
        received.logFailure("an administrator's call failed", error, path: path.first ?? "")
        return AdminRefusal.failed.response
      }
      return refusal.response
    }
  }

  private func answer(_ received: ReceivedRequest, _ path: [String]) async throws -> Response {
    guard received.isOfOwnPage else { throw AdminRefusal.origin }
    guard received.isProtected else { throw AdminRefusal.transport }
    guard received.isCalledByOwnName else { throw AdminRefusal.name }
    guard let (row, parameters) = Self.routes.find(received.request.method.rawValue, path) else {
      throw AdminRefusal.notFound("there is no such call")
    }
    let token = cookie.value(in: received.request.headers, isSecure: received.isSecure)
    if row.method != .get, !cookie.isProof(received.request.headers[.proof], of: token) {
      // Without a session there is nothing to prove.
      throw row.isOpen || token != nil ? AdminRefusal.proof : .signedOut
    }
    let session = try await session(token, received)
    guard row.isOpen || session != nil else { throw AdminRefusal.signedOut }
    try received.count(ofAdministrator: session?.number)
    let acting = session?.actor(at: received.address) ?? Administrator(name: "", address: received.address)
    return try await Administration(received.madang, received.settings, actingAs: acting).explainingErrors { _ in
      let body = row.method == .get ? [] : try await received.body.text(upTo: AdminCall.maxBody)
      // The session may have ended while the body arrived.
      let session = body.isEmpty ? session : try await self.session(token, received)
      guard row.isOpen || session != nil else { throw AdminRefusal.signedOut }
      return try await row.handler(
        AdminCall(
          console: self, received: received, parameters: parameters, bytes: body, token: token, session: session))
    }
  }

  /// The session of a cookie; nil before the sign-in, and after its end. What a page asks by a timer does not prolong it.
  private func session(_ token: String?, _ received: ReceivedRequest) async throws -> AdministratorSession? {
    guard let token, !WebCookie.isRandom(token) else { return nil }
    return try await received.found {
      try await received.madang.administratorSession(
        token: token, isActivity: received.request.headers[.poll] == nil, idle: Int64(settings.idleMinutes) * 60_000)
    }
  }
}

extension AdminRefusal {
  /// The refusal for an error of an operation; nil for an unexpected one.
  init?(_ error: any Error) {
    switch error {
    case let error as AdministrationError: self.init(error)
    case let error as AdministratorRefusal:
      self.init(Self.status(of: error.code), error.code.rawValue, error.message, retryAfter: error.retryAfter)
    case let refusal as Refusal where refusal.code == .tooManyCalls: self = .wait(refusal.retryAfter ?? 1)
    case let error as StorageError where error.code == .overloaded: self = .wait(1)
    default: return nil
    }
  }

  private static func status(of code: AdministratorRefusal.Code) -> HTTPResponse.Status {
    switch code {
    case .credentials, .recovery, .weak, .code, .refused: .badRequest
    case .link: .gone
    case .taken, .last: .conflict
    case .wait: .tooManyRequests
    case .signedOut: .unauthorized
    case .notFound: .notFound
    }
  }

  private init(_ error: AdministrationError) {
    switch error.reason {
    case .notFound: self = .notFound(error.description)
    case .held: self.init(.conflict, "held", error.description)
    case .mustHandOver: self.init(.conflict, "owner", error.description)
    case .readOnly: self.init(.conflict, "readOnly", error.description)
    case .noMail: self.init(.conflict, "noMail", error.description)
    case .closed: self.init(.conflict, "closed", error.description)
    case .duplicate, .other: self = .refused(error.description)
    }
    kind = error.kind
  }
}
