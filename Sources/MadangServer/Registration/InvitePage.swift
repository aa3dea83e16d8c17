import HTTPTypes
import Hummingbird
import MadangAPI
import MadangCore

/// The page behind the link of an invitation code: its holder enters the address of their future account, because apps have
/// no field for a code. It needs no API key and no script.
struct InvitePage {
  let service: Service

  /// Answers a GET with the form, a POST by inviting the address. Nil for other methods.
  func respond(to request: Request, code: String, _ client: ClientAddress, _ body: BodyReader) async -> Response? {
    let page = Self.page
    return await page.answer(
      to: request, from: client, by: service, mistake: "This is not an e-mail address. Please check it.",
      gone: "This invitation is not valid. It may have expired. Ask the person who sent it for a new one."
    ) {
      guard request.method == .post else {
        try await service.madang.requireInvitation(code: code)
        return page.response(.ok, "Enter the e-mail address for your account.", hasForm: true)
      }
      // Before any read for a caller without a valid code.
      try await service.madang.requireCode(code)
      let email = try await body.fields().required(.email)
      try await service.madang.accept(code: code, email: email, from: client.text)
      return page.response(.ok, "Done. Now create your account in the app, with exactly this address.")
    }
  }

  private static let page = Page("Invitation", asksFor: .email, button: "Accept the invitation")
}
