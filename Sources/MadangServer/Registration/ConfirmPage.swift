import HTTPTypes
import Hummingbird
import MadangAPI
import MadangCore
import MadangOperations

/// Pages to confirm an address, because apps have no such step: the link of a mail leads to `/confirm/CODE`, which asks for
/// the account's password, and `/confirm` sends another link. They need no API key and no script, and exist if addresses
/// have to be confirmed.
struct ConfirmPage {
  let service: Service

  /// Nil for other methods than GET and POST, and if addresses need no confirmation.
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
      gone: "This link has been used or has expired. If your address is not confirmed yet, "
        + "<a href=\"/confirm\">request another mail</a>."
    ) {
      switch (place, request.method) {
      case (.request, .post): try await send(client, body)
      case (.request, _):
        page.response(
          .ok, "Enter the e-mail address of your account. We will send you another confirmation link.",
          hasForm: true)
      case (.link(let code), .post): try await confirm(code, client, body)
      case (.link(let code), _): try await show(code)
      }
    }
  }

  private func send(_ client: ClientAddress, _ body: BodyReader) async throws -> Response {
    let email = try await body.fields().required(.email)
    // Links are sent and refused in the background.
    guard try await service.madang.readOnlyMode() == nil else { return Self.requestPage.readOnly }
    try service.links.request(.confirm, email, client)
    return Self.requestPage.response(
      .ok, "If an account with this address is waiting for confirmation, a mail is on its way.")
  }

  /// Changes nothing, because mail scanners follow links.
  private func show(_ code: String) async throws -> Response {
    let account = try await service.madang.accountToConfirm(code: code)
    // Without seconds.
    let time = WireDate.string(account.createdAt).prefix(16).replacing("T", with: " ")
    return Self.linkPage.response(
      .ok,
      "An account with this address was created on \(time) UTC with the name “\(account.nickname.asHTML)”. If it was you, enter its "
        + "password. \(Self.cure)", hasForm: true)
  }

  private func confirm(_ code: String, _ client: ClientAddress, _ body: BodyReader) async throws -> Response {
    // Before any read for a caller without a valid code.
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
        ? "Continue in the app." : "An administrator has to approve the account before you can use the app."
      return Self.linkPage.response(.ok, "Done. Your address is confirmed. \(next)")
    } catch let failure as Failure where failure.code == .signInFailed {
      return Self.linkPage.response(
        .forbidden, "This is not the password of the account. \(Self.cure)", hasForm: true)
    }
  }

  private static let requestPage = Page("Confirmation", asksFor: .email, button: "Send me a link")
  private static let linkPage = Page("Confirmation", asksFor: .password, button: "Confirm the address")

  /// For the owner of an address that another person used for an account.
  private static let cure =
    "If it was not you, or you forgot the password, <a href=\"/password\">choose a new password</a>: that also confirms the address, and signs "
    + "out the person who created the account."
}

extension LinkPage.Place {
  /// The text above an incomplete form.
  fileprivate var missing: String {
    switch self {
    case .request: "Enter an e-mail address."
    case .link: "Enter the password."
    }
  }
}
