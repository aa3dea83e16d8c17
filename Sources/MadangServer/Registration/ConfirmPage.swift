import HTTPTypes
import Hummingbird
import MadangAPI
import MadangCore
import MadangOperations

/// The pages on which the owner of an address confirms it, for apps have no such step: the link of a mail leads to `/confirm/CODE`, which
/// asks for the account's password, and `/confirm` sends another one. They need no API key and no script, and are there where addresses are to be confirmed.
struct ConfirmPage {
  let service: Service

  /// Nil for other methods than GET and POST, and where nobody has to confirm anything.
  func respond(to request: Request, _ place: LinkPage.Place, _ client: ClientAddress, _ body: BodyReader) async
    -> Response?
  {
    guard service.links.isOn, service.settings.registration.confirmation != .off else { return nil }
    let page =
      switch place {
      case .request: Self.requestPage
      case .link: Self.linkPage
      }
    return await page.answer(
      to: request, from: client, by: service, mistake: place.missing,
      gone: "This link was used, or is too old. If your address is not confirmed yet, "
        + "<a href=\"/confirm\">have another mail sent</a>."
    ) {
      switch (place, request.method) {
      case (.request, .post): try await send(client, body)
      case (.request, _):
        page.response(
          .ok, "Type the e-mail address of your account. You get another mail with a link that confirms it.",
          hasForm: true)
      case (.link(let code), .post): try await confirm(code, client, body)
      case (.link(let code), _): try await show(code)
      }
    }
  }

  private func send(_ client: ClientAddress, _ body: BodyReader) async throws -> Response {
    let email = try await body.fields().required(.email)
    // Links are sent beside the request, and refused there.
    guard try await service.madang.readOnlyMode() == nil else { return Self.requestPage.readOnly }
    try service.links.request(.confirm, email, client)
    return Self.requestPage.response(
      .ok, "If an account with this address waits to be confirmed, a mail is on its way to it.")
  }

  /// Changes nothing: programs that look at mails follow links.
  private func show(_ code: String) async throws -> Response {
    let account = try await service.madang.accountToConfirm(code: code)
    // Without seconds.
    let time = WireDate.string(account.createdAt).prefix(16).replacing("T", with: " ")
    return Self.linkPage.response(
      .ok,
      "An account with this address was made on \(time) UTC under the name “\(account.nickname.asHTML)”. If it was you, type its "
        + "password. \(Self.cure)", hasForm: true)
  }

  private func confirm(_ code: String, _ client: ClientAddress, _ body: BodyReader) async throws -> Response {
    // Before anything is read for somebody who has no code.
    let emailKey = try await service.madang.accountToConfirm(code: code).emailKey
    let password = try await body.fields().required(.password)
    do {
      let origin = Origin(edition: "", address: client.text)
      let waiting = try await service.tryPassword(of: emailKey, origin, from: client) {
        try await service.madang.confirmAddress(
          code: code, password: password, from: client.text, turn: client.network)
      }
      let next =
        waiting == nil
        ? "Go on in the app." : "An administrator has to approve the account before you can go on in the app."
      return Self.linkPage.response(.ok, "Done. Your address is confirmed. \(next)")
    } catch let failure as Failure where failure.code == .signInFailed {
      return Self.linkPage.response(
        .forbidden, "That is not the password of the account. \(Self.cure)", hasForm: true)
    }
  }

  private static let requestPage = Page("Confirmation", asksFor: .email, button: "Send me a link")
  private static let linkPage = Page("Confirmation", asksFor: .password, button: "Confirm the address")

  /// For the owner of an address with which a stranger has made an account.
  private static let cure =
    "If it was not you, or you forgot it, <a href=\"/password\">choose another password</a>: that confirms the address, too, and ends "
    + "the sessions of whoever made the account."
}

extension LinkPage.Place {
  /// What is said of a form in which something is missing.
  fileprivate var missing: String {
    switch self {
    case .request: "An e-mail address is missing."
    case .link: "The password is missing."
    }
  }
}
