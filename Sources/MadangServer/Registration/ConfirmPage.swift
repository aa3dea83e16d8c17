import HTTPTypes
import Hummingbird
import Logging
import MadangAPI
import MadangCore

/// The pages on which the owner of an address confirms it, for apps have no such step: the link of a mail leads to `/confirm/CODE`, and
/// `/confirm` sends another one. They need no API key and no script, and are there where addresses are to be confirmed.
struct ConfirmPage {
  let service: Service

  /// Nil for other methods than GET and POST, and where nobody has to confirm anything.
  func respond(to request: Request, _ place: LinkPage.Place, _ client: ClientAddress, _ body: BodyReader) async
    -> Response?
  {
    guard [.get, .post].contains(request.method), service.links.isOn, service.settings.confirmation != .off else {
      return nil
    }
    let page =
      switch place {
      case .request: Self.requestPage
      case .link: Self.linkPage
      }
    guard request.method == .get || !request.isFromAnotherSite else { return page.foreign }
    do {
      try service.limits.count(.address(KeyHash(client.network)))
      return switch (place, request.method) {
      case (.request, .post): try await send(client, body)
      case (.request, _):
        page.response(
          .ok, "Type the e-mail address of your account. You get another mail with a link that confirms it.",
          hasForm: true)
      case (.link(let code), .post): try await confirm(code, client)
      case (.link(let code), _): try await show(code)
      }
    } catch let refusal as Refusal where refusal.code == .tooManyCalls {
      return page.tooManyCalls(refusal)
    } catch let failure as Failure where failure.code == .invalid {
      return page.response(.badRequest, "An e-mail address is missing.", hasForm: true)
    } catch let failure as Failure where failure.code == .notFound {
      return page.response(
        .notFound,
        "This link was used, or is too old. If your address is not confirmed yet, "
          + "<a href=\"/confirm\">have another mail sent</a>.")
    } catch {
      service.logger.error("a confirmation failed", metadata: ["error": "\(String(reflecting: error))"])
      return page.response(.serviceUnavailable, "That did not work just now. Try again in a minute.")
    }
  }

  private func send(_ client: ClientAddress, _ body: BodyReader) async throws -> Response {
    let email = try await body.fields().required(.email)
    try service.links.request(.confirm, email, client)
    return Self.requestPage.response(
      .ok, "If an account with this address waits to be confirmed, a mail is on its way to it.")
  }

  /// Changes nothing: programs that look at mails follow links.
  private func show(_ code: String) async throws -> Response {
    try await service.madang.requireConfirmation(code: code)
    return Self.linkPage.response(
      .ok, "Confirm that you made an account with the address to which this link was sent.", hasForm: true)
  }

  private func confirm(_ code: String, _ client: ClientAddress) async throws -> Response {
    try await service.madang.confirmAddress(code: code, from: client.text)
    return Self.linkPage.response(.ok, "Done. Your address is confirmed; go on in the app.")
  }

  private static let requestPage = Page("Confirmation", asksFor: .email, button: "Send me a link")
  private static let linkPage = Page("Confirmation", asksFor: .nothing, button: "It was me")
}
