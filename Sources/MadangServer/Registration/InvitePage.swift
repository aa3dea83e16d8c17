import HTTPTypes
import Hummingbird
import MadangAPI
import MadangCore

/// The page to which the link of an invitation leads: somebody who has its code names the address with which they will make an
/// account, for apps have no field for a code. It needs no API key and no script.
struct InvitePage {
  let service: Service

  /// Answers a GET with the form, a POST by inviting the address. Nil for other methods.
  func respond(to request: Request, code: String, _ client: ClientAddress, _ body: BodyReader) async -> Response? {
    let page = Self.page
    return await page.answer(
      to: request, from: client, by: service, mistake: "That is no e-mail address. Look at it again.",
      gone: "This invitation is not valid, or not any more. Ask whoever sent it for another one."
    ) {
      guard request.method == .post else {
        try await service.madang.requireInvitation(code: code)
        return page.response(.ok, "Type the e-mail address with which you will make your account.", hasForm: true)
      }
      // Before anything is read for somebody who has no code.
      try await service.madang.requireCode(code)
      let email = try await body.fields().required(.email)
      try await service.madang.accept(code: code, email: email, from: client.text)
      return page.response(.ok, "Done. Make your account in the app now, with exactly this address.")
    }
  }

  private static let page = Page("Invitation", asksFor: .email, button: "Accept the invitation")
}
