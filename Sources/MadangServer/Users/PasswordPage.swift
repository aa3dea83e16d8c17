import HTTPTypes
import Hummingbird
import MadangAPI
import MadangCore

/// Pages for a forgotten password, because apps have no such button: `/password` sends a link to an address, and the link
/// leads to `/password/CODE`. They need no API key and no script, and exist if mails are sent.
struct PasswordPage {
  let service: Service

  /// Nil for other methods than GET and POST, and if no mails are sent.
  func respond(to request: Request, _ place: LinkPage.Place, _ client: ClientAddress, _ body: BodyReader) async
    -> Response?
  {
    guard service.links.isOn else { return nil }
    let page =
      switch place {
      case .request: Self.requestPage
      case .link: Self.linkPage
      }
    return await page.answer(
      to: request, from: client, by: service, mistake: place.mistake,
      gone: "This link has been used or has expired. Request a new one."
    ) {
      switch (place, request.method) {
      case (.request, .post): try await send(client, body)
      case (.request, _):
        page.response(.ok, "Enter the e-mail address of your account. We will send you a link.", hasForm: true)
      case (.link(let code), .post): try await change(code, client, body)
      case (.link(let code), _): try await show(code)
      }
    }
  }

  private func send(_ client: ClientAddress, _ body: BodyReader) async throws -> Response {
    let email = try await body.fields().required(.email)
    // Links are sent and refused in the background.
    guard try await service.madang.readOnlyMode() == nil else { return Self.requestPage.readOnly }
    try service.links.request(.password, email, client)
    return Self.requestPage.response(
      .ok, "If there is an account with this address, a mail is on its way. Its link is valid for 30 minutes.")
  }

  /// Changes nothing, because mail scanners follow links.
  private func show(_ code: String) async throws -> Response {
    try await service.madang.requirePasswordReset(code: code)
    return Self.linkPage.response(.ok, "Choose a new password. Then sign in again on all devices.", hasForm: true)
  }

  private func change(_ code: String, _ client: ClientAddress, _ body: BodyReader) async throws -> Response {
    try await service.madang.requirePasswordReset(code: code)
    let password = try await body.fields().required(.password)
    try await service.madang.resetPassword(code: code, to: password, from: client.text, turn: client.network)
    return Self.linkPage.response(.ok, "Done. Sign in with the new password now.")
  }

  private static let requestPage = Page("Password", asksFor: .email, button: "Send me a link")
  private static let linkPage = Page("Password", asksFor: .newPassword, button: "Save")
}

extension LinkPage.Place {
  /// The text above an invalid form.
  fileprivate var mistake: String {
    switch self {
    case .request: "Enter an e-mail address."
    case .link:
      "A password needs 8 to 128 characters with an upper-case and a lower-case letter, a digit and a symbol. "
        + "Common ones, like Passw0rd! or Qwer1234!, are refused."
    }
  }
}
