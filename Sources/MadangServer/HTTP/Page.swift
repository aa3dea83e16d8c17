import Foundation
import HTTPTypes
import Hummingbird
import NIOCore

/// A page for people, without a script, that is cached nowhere.
struct Page: Sendable {
  /// What its form asks for.
  enum Field {
    case email, newPassword
    /// The one that an account has.
    case password

    fileprivate var html: String {
      switch self {
      case .email:
        """
        <label for="email">E-mail address</label>
        <input id="email" name="email" type="email" maxlength="254" autocomplete="email" required autofocus>
        """
      case .newPassword:
        """
        <label for="password">New password</label>
        <input id="password" name="password" type="password" minlength="8" autocomplete="new-password" required autofocus>
        """
      case .password:
        """
        <label for="password">Password</label>
        <input id="password" name="password" type="password" autocomplete="current-password" required autofocus>
        """
      }
    }
  }

  let title: String
  /// Shown above the form if what was typed cannot be used.
  let mistake: String
  /// Shown if a link leads nowhere, or no longer.
  let gone: String
  private let before: String
  private let form: String
  private let after: String

  /// - Parameters:
  ///   - title: Stands above a text and, where the page asks for something, a form.
  ///   - button: The label of the form's button.
  init(_ title: String, asksFor field: Field, button: String, mistake: String, gone: String = "") {
    (self.title, self.mistake, self.gone) = (title, mistake, gone)
    let frame = String(decoding: PackageResources.page_html, as: UTF8.self).replacing("<!--title-->", with: title)
    let parts = frame.components(separatedBy: "<!--content-->")
    (before, after) = parts.count == 2 ? (parts[0], parts[1]) : (frame, "")
    form = "\n<form method=\"post\">\n\(field.html)\n<button>\(button)</button>\n</form>\n"
  }

  /// - Parameter text: HTML of ours; what somebody wrote stands in it as ``Swift/String/asHTML`` only.
  func response(_ status: HTTPResponse.Status, _ text: String, hasForm: Bool = false) -> Response {
    Response(
      status: status,
      headers: [
        .contentType: "text/html; charset=utf-8", .cacheControl: "no-store", .xContentTypeOptions: "nosniff",
        .contentSecurityPolicy:
          "default-src 'none'; style-src 'unsafe-inline'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'",
        // The address of the page may be a secret.
        .referrerPolicy: "no-referrer",
      ], body: ResponseBody(byteBuffer: ByteBuffer(string: before + "<p>\(text)</p>" + (hasForm ? form : "") + after)))
  }
}

extension String {
  /// As text of a page.
  var asHTML: String {
    replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(">", with: "&gt;")
      .replacing("\"", with: "&quot;").replacing("'", with: "&#39;")
  }
}
