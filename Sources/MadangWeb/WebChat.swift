import HTTPTypes
import Hummingbird
import MadangAPI
import MadangCore
import MadangOperations
import MadangServer

/// The chat for browsers at `/`: its files, and its calls below `/web`.
///
/// A call goes through the same steps as a call with an API key. Its cookie stands for key and token, so before them these decide: the
/// browser's word on which page calls, and the proof that the page shows.
package struct WebChat: Annex {
  /// What the pages speak.
  static let edition = EditionName.october2024

  private let files: PageSet
  private let cookie: WebCookie
  private let calls: WebCalls
  private let hasTLS: Bool

  /// Nil if the settings turn it off.
  /// - Parameter key: Secret, and the same on all servers of a database.
  package init?(_ settings: ServerSettings, key: [UInt8]) {
    guard settings.hasWebChat else { return nil }
    files = PageFiles.chat(settings.face)
    cookie = WebCookie(key: key, seconds: settings.sessions.refreshLifetime / 1000)
    calls = WebCalls(settings, cookie)
    hasTLS = settings.tls.isUsed
  }

  package func answer(_ received: ReceivedRequest) async throws -> Answer? {
    guard !received.isForOperators else { return nil }
    let (request, path) = (received.request, received.target.segments)
    guard path.first == "web" else { return answer(files.response(to: request, at: path)) }
    if path.count == 2, let document = PageFiles.description.response(to: request, at: path.dropFirst()) {
      return answer(document)
    }
    var answer = await call(received)
    answer.response.headers[.crossOriginResourcePolicy] = "same-origin"
    if received.isReadOnly { answer.response.headers[.readOnly] = "1" }
    return answer
  }

  package func call(in head: HTTPRequest) -> AnnexCall? {
    let path = RequestTarget(head.path ?? "").segments
    guard let call = Self.editionPath(path) else { return nil }
    let shown = [true, false].compactMap { cookie.value(in: head.headerFields, isSecure: $0) }.first
    return AnnexCall(Self.edition, path: call, token: shown)
  }

  /// Signs a browser in with a session of edition 2024-10.
  package func begin(refreshToken: String, in response: inout Response, isSecure: Bool) {
    cookie.set(refreshToken, in: &response, isSecure: isSecure)
  }

  /// The path of the edition in a path of pages: without its beginning.
  static func editionPath(_ path: [String]) -> [String]? {
    path.count > 1 && path[0] == "web" && path[1] == "v1" ? Array(path.dropFirst()) : nil
  }

  private func answer(_ file: Response?) -> Answer? {
    guard var file else { return nil }
    if hasTLS { file.headers[.strictTransportSecurity] = "max-age=31536000" }
    return Answer(response: file)
  }

  private func call(_ received: ReceivedRequest) async -> Answer {
    var call = PageCall()
    guard received.isOfOwnPage else {
      call.originRefusal = Refusal(.badToken, "the request does not come from a page of this server")
      return await received.answer(call, Self.edition)
    }
    let shown = cookie.value(in: received.request.headers, isSecure: received.isSecure)
    do {
      if let shown { call.session = try await received.session(refreshToken: shown, Self.edition) }
    } catch {
      call.flaw = error
    }
    let found = calls.find(received, call.session)
    call.operation = found.map { ($0.row, $0.parameters) }
    if call.flaw == nil, let found { call.flaw = flaw(of: received, found, shown, call.session) }
    return await received.answer(call, Self.edition)
  }

  private func flaw(
    of received: ReceivedRequest, _ found: WebCalls.Found, _ shown: String?, _ session: PageSession?
  ) -> Refusal? {
    let proof = received.request.headers[.proof] ?? ""
    // A page whose cookie now has another session, of another person perhaps, must not read as that one.
    if found.needsProof || found.isOfAccount && !found.describes && !proof.isEmpty, !cookie.isProof(proof, of: shown) {
      return Refusal(.badToken, "X-Madang-Proof: is missing, or belongs to another session")
    }
    guard session != nil || !found.isOfAccount else {
      return Refusal(.badToken, "the cookie has no session, or it has ended")
    }
    return nil
  }
}
