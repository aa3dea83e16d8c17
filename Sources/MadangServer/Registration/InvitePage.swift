import HTTPTypes
import MadangAPI
import MadangCore

/// The page that the link of an invitation leads to, for apps have no field for a code: who has its code names the address of
/// the account that they will make. It needs no API key and no script.
enum InvitePage {
  static func add(to routes: inout RouteTable<OpenRoute>) {
    routes.add(page, at: "invite/{code}") { received, code in
      try await received.service.madang.requireInvitation(code: code)
      return page.response(.ok, "Enter the e-mail address for your account.", hasForm: true)
    } submit: { received, code in
      // Before anything is read for a client without a code.
      try await received.service.madang.requireCode(code)
      let email = try await received.body.fields().required(.email)
      try await received.service.madang.accept(code: code, email: email, from: received.client.text)
      return page.response(.ok, "Done. Now create your account in the app, with exactly this address.")
    }
  }

  private static let page = Page(
    "Invitation", asksFor: .email, button: "Accept the invitation",
    mistake: "This is not an e-mail address. Please check it.",
    gone: "This invitation is not valid. It may have expired. Ask the person who sent it for a new one.")
}
