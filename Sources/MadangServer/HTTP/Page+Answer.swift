import HTTPTypes
import Hummingbird
import Logging
import MadangAPI
import MadangCore
import Storage

extension RouteTable<OpenRoute> {
  /// Makes a response to a request of a page; the code is that of its link, or empty.
  typealias PageHandler = @Sendable (ReceivedRequest, _ code: String) async throws -> Response

  /// Adds a page with a form.
  /// - Parameters:
  ///   - isThere: Whether a server has the page.
  ///   - show: Answers GET. Must change nothing: programs that check mails follow links.
  ///   - submit: Answers POST, with what was typed.
  mutating func add(
    _ page: Page, at template: String, if isThere: @escaping @Sendable (Service) -> Bool = { _ in true },
    show: @escaping PageHandler, submit: @escaping PageHandler
  ) {
    add(
      ["GET", "POST"], MadangAPI.Route.segments(of: template),
      OpenRoute(kind: .page) { received, parameters in
        guard isThere(received.service) else { return nil }
        let handler = received.request.method == .post ? submit : show
        return await page.answer(to: received) { try await handler(received, parameters["code"] ?? "") }
      })
  }

  /// Adds a page that sends links to an address. Returns the same whether the address has an account or not.
  mutating func addLinkRequests(
    for kind: LinkPage, title: String, if isThere: @escaping @Sendable (Service) -> Bool, ask: String, done: String
  ) {
    let page = Page(title, asksFor: .email, button: "Send me a link", mistake: "Enter an e-mail address.")
    add(page, at: kind.rawValue, if: isThere) { _, _ in
      page.response(.ok, ask, hasForm: true)
    } submit: { received, _ in
      let email = try await received.body.fields().required(.email)
      // Links are sent beside the request, and refused there.
      guard try await received.service.madang.readOnlyMode() == nil else { return page.readOnly }
      try received.service.links.request(kind, email, received.client)
      return page.response(.ok, done)
    }
  }
}

extension Page {
  /// Answers what `body` returns, and says in words why it failed.
  ///
  /// Calls count for the limit of their address. A form that a page of another site sends is refused.
  fileprivate func answer(to received: ReceivedRequest, _ body: () async throws -> Response) async -> Response {
    let (request, service) = (received.request, received.service)
    guard request.method == .get || !request.isFromAnotherSite else {
      return response(.forbidden, "Open this page itself, and try again.")
    }
    do {
      try service.limits.calls.count(.address(received.client.networkHash))
      return try await body()
    } catch let refusal as Refusal where refusal.code == .tooManyCalls {
      var response = response(.tooManyRequests, "Too many attempts. Come back later.")
      response.headers[.retryAfter] = refusal.retryAfter.map { String($0) }
      return response
    } catch let failure as Failure where failure.code == .invalid {
      return response(.badRequest, mistake, hasForm: true)
    } catch let failure as Failure where failure.code == .notFound {
      return response(.notFound, gone)
    } catch let error as StorageError where error.code == .writesStopped {
      return readOnly
    } catch {
      service.reports.failures.write("a page failed", error, ["page": "\(title)"])
      return response(.serviceUnavailable, "Something went wrong. Try again in a minute.")
    }
  }

  /// The response to a change in read-only mode.
  fileprivate var readOnly: Response {
    response(.serviceUnavailable, "The server is under maintenance and accepts no changes. Come back later.")
  }
}

extension Request {
  /// Whether a browser says that a page of another site sends it. Older browsers, and other programs, say nothing.
  var isFromAnotherSite: Bool { ![nil, "same-origin", "none"].contains(headers[.secFetchSite]) }
}

extension LinkPage {
  /// A path without the code of a link, which gives the right to what the link is for.
  ///
  /// - Parameter mask: Replaces all behind the page.
  package static func masked(_ path: String, by mask: String) -> String {
    let segments = RequestTarget(path).segments
    guard segments.count > 1, let page = LinkPage(rawValue: segments[0]) else { return path }
    return "/\(page.rawValue)/\(mask)"
  }

  /// Whether a path leads to a page.
  static func isPath(_ target: RequestTarget) -> Bool {
    target.segments.first.flatMap(LinkPage.init) != nil && target.segments.count <= 2
  }
}
