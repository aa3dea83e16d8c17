import Hummingbird
import MadangAPI
import MadangCore
import MadangOperations

/// The pages on which the owner of an address confirms it, for apps have no such step: the link of a mail leads to `/confirm/CODE`, which
/// asks for the account's password, and `/confirm` sends another one. They need no API key and no script. Servers where addresses are to
/// be confirmed have them.
enum ConfirmPage {
  static func add(to routes: inout RouteTable<OpenRoute>) {
    routes.addLinkRequests(
      for: .confirm, title: "Confirmation", if: isThere,
      ask: "Enter the e-mail address of your account. We will send you another confirmation link.",
      done: "If an account with this address is waiting for confirmation, a mail is on its way.")
    routes.add(page, at: "confirm/{code}", if: isThere, show: show, submit: confirm)
  }

  @Sendable private static func isThere(_ service: Service) -> Bool {
    service.links.isOn && service.settings.registration.confirmation != .off
  }

  @Sendable private static func show(_ received: ReceivedRequest, _ code: String) async throws -> Response {
    let account = try await received.service.madang.accountToConfirm(code: code)
    // Without seconds.
    let time = WireDate.string(account.createdAt).prefix(16).replacing("T", with: " ")
    return page.response(
      .ok,
      "An account with this address was created on \(time) UTC with the name “\(account.nickname.asHTML)”. If it was you, enter its "
        + "password. \(cure)", hasForm: true)
  }

  @Sendable private static func confirm(_ received: ReceivedRequest, _ code: String) async throws -> Response {
    let (service, client) = (received.service, received.client)
    // Before anything is read for a client without a code.
    let emailKey = try await service.madang.accountToConfirm(code: code).emailKey
    let password = try await received.body.fields().required(.password)
    do {
      let origin = Origin(edition: "", address: client.text)
      let waiting = try await service.tryPassword(of: emailKey, origin, from: client) {
        try await service.madang.confirmAddress(
          code: code, password: password, from: client.text, turn: client.network)
      }
      let next =
        waiting == nil
        ? "Continue in the app." : "An administrator has to approve the account before you can use the app."
      return page.response(.ok, "Done. Your address is confirmed. \(next)")
    } catch let failure as Failure where failure.code == .signInFailed {
      return page.response(.forbidden, "This is not the password of the account. \(cure)", hasForm: true)
    }
  }

  private static let page = Page(
    "Confirmation", asksFor: .password, button: "Confirm the address", mistake: "Enter the password.",
    gone: "This link has been used or has expired. If your address is not confirmed yet, "
      + "<a href=\"/confirm\">request another mail</a>.")

  /// For the owner of an address with which another person has made an account.
  private static let cure =
    "If it was not you, or you forgot the password, <a href=\"/password\">choose a new password</a>: that also confirms the address, and signs "
    + "out the person who created the account."
}
