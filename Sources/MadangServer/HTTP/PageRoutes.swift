import HTTPTypes
import Hummingbird
import Logging
import MadangAPI
import MadangCore
import MadangOperations
import Storage

/// A request of a page, with the reader's texts.
struct PageVisit {
  let received: ReceivedRequest
  /// The code of the link, or empty.
  let code: String
  let language: Language
  let words: PageWords

  init(_ received: ReceivedRequest, code: String) {
    (self.received, self.code) = (received, code)
    language = received.service.pages.face.language(for: received.request.headers[.acceptLanguage])
    words = .of(language)
  }

  var service: Service { received.service }
  var madang: Madang { service.madang }
  var client: ClientAddress { received.client }

  func answer(_ status: HTTPResponse.Status, _ card: Card) -> Response {
    service.pages.response(status, card, in: language)
  }

  /// A text of ``words`` with the installation's name and these values.
  func fill(_ text: String, _ values: [String: String] = [:]) -> String {
    text.filled(values.merging(["name": service.pages.face.name]) { own, _ in own })
  }

  /// A page that only says something.
  func notice(_ notice: PageWords.Notice, _ ways: [Card.Way] = [], note: String = "") -> Card {
    Card(title: fill(notice.title), text: fill(notice.text), note: note, ways: ways)
  }

  /// The chat for browsers, where it is on.
  func chat(_ text: String, _ path: String = "/") -> [Card.Way] {
    service.settings.hasWebChat ? [.init(text: text, path: path, isMain: true)] : []
  }

  /// Where people go on after a page: the chat for browsers, or else the app.
  var app: String { service.settings.hasWebChat ? "" : words.inApp }

  /// A link to a page, as far as this server has it.
  func way(_ text: String, to page: LinkPage, isMain: Bool = false) -> [Card.Way] {
    service.has(page) ? [.init(text: text, path: "/\(page.rawValue)", isMain: isMain)] : []
  }
}

extension Service {
  /// Whether people can use links to a page.
  func has(_ page: LinkPage) -> Bool {
    switch page {
    case .password: links.isOn
    case .confirm: links.isOn && settings.registration.confirmation != .off
    case .invite: true
    }
  }
}

/// What a page shows when something is not as it should be.
struct PageTroubles: Sendable {
  /// The form, if what was typed into it is invalid.
  let form: @Sendable (PageVisit) async throws -> Card
  /// Why what was typed is invalid.
  let mistake: @Sendable (PageWords) -> String
  /// A link leads nowhere, or no longer.
  let gone: @Sendable (PageVisit) -> Card
}

extension RouteTable<OpenRoute> {
  typealias PageHandler = @Sendable (PageVisit) async throws -> Response

  /// Adds a page with a form. GET and HEAD show the form and change nothing: programs that check mails follow links.
  /// - Parameters:
  ///   - check: Throws if the link leads nowhere. Asked before the form is shown.
  ///   - submit: Answers POST, with what was typed.
  mutating func add(
    _ troubles: PageTroubles, for page: LinkPage, at template: String,
    check: @escaping @Sendable (PageVisit) async throws -> Void = { _ in }, submit: @escaping PageHandler
  ) {
    add(
      ["GET", "HEAD", "POST"], MadangAPI.Route.segments(of: template),
      OpenRoute(kind: .page) { received, parameters in
        guard received.service.has(page) else { return nil }
        let visit = PageVisit(received, code: parameters["code"] ?? "")
        return await visit.answer(troubles) {
          guard received.request.method != .post else { return try await submit(visit) }
          try await check(visit)
          return visit.answer(.ok, try await troubles.form(visit))
        }
      })
  }

  /// Adds a page that sends links to an address. Returns the same whether the address has an account or not.
  mutating func addLinkRequests(
    for page: LinkPage, _ ask: @escaping @Sendable (PageWords) -> PageWords.Notice,
    sent: @escaping @Sendable (PageWords) -> String
  ) {
    let troubles = PageTroubles { visit in
      var card = visit.notice(ask(visit.words))
      card.form = (.email, visit.words.sendLink)
      return card
    } mistake: {
      $0.notAnAddress
    } gone: {
      $0.notice($0.words.failed)
    }
    add(troubles, for: page, at: page.rawValue) { visit in
      let email = try await visit.received.body.fields().required(.email)
      // Links are sent beside the request, and refused there.
      guard try await visit.madang.readOnlyMode() == nil else { return visit.readOnly }
      try visit.service.links.request(page, email, visit.client, visit.received.request.headers[.acceptLanguage])
      return visit.answer(
        .ok, Card(title: visit.words.sent, text: sent(visit.words), ways: visit.way(visit.words.anotherMail, to: page)))
    }
  }
}

extension PageVisit {
  /// Answers what `body` returns, and says in words why it failed.
  ///
  /// Calls count for the limit of their address. A form that a page of another site sends is refused.
  fileprivate func answer(_ troubles: PageTroubles, _ body: () async throws -> Response) async -> Response {
    guard received.request.method != .post || isOfOwnForm else {
      return answer(.forbidden, notice(words.foreign, again))
    }
    do {
      do {
        try service.limits.calls.count(.address(client.networkHash))
        return try await body()
      } catch let failure as Failure where failure.code == .invalid {
        var card = try await troubles.form(self)
        card.trouble = troubles.mistake(words)
        return answer(.badRequest, card)
      }
    } catch let refusal as Refusal where refusal.code == .tooManyCalls {
      var response = answer(.tooManyRequests, notice(words.tooMany, again))
      response.headers[.retryAfter] = refusal.retryAfter.map { String($0) }
      return response
    } catch let failure as Failure where failure.code == .notFound {
      return answer(.notFound, troubles.gone(self))
    } catch let error as StorageError where error.code == .writesStopped {
      return readOnly
    } catch {
      service.reports.failures.write("a page failed", error, ["page": "\(received.target.segments.first ?? "")"])
      return answer(.serviceUnavailable, notice(words.failed, again))
    }
  }

  /// Whether a form can be of a page of this server. Browsers send `Sec-Fetch-Site` to trustworthy addresses only, not to
  /// `http://madang.home`: there the origin decides.
  private var isOfOwnForm: Bool { received.request.headers[.secFetchSite] == "same-origin" || received.isOfOwnPage }

  /// The response to a change in read-only mode.
  fileprivate var readOnly: Response { answer(.serviceUnavailable, notice(words.readOnly, again)) }

  /// A link to this page.
  private var again: [Card.Way] { [.init(text: words.tryAgain, path: "", isMain: true)] }
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
