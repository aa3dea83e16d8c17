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
        <label for="password">Another password</label>
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

  private let before: String
  private let form: String
  private let after: String

  /// - Parameters:
  ///   - title: Stands above a text and, where the page asks for something, a form.
  ///   - button: What sends the form.
  init(_ title: String, asksFor field: Field, button: String) {
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

  /// For a form that another site has sent.
  var foreign: Response { response(.forbidden, "Open this page itself, and try again.") }

  /// For who would change something in read-only mode.
  var readOnly: Response {
    response(.serviceUnavailable, "The server takes no changes just now, while it is looked after. Come back later.")
  }

  /// For who calls too often.
  func tooManyCalls(_ refusal: Refusal) -> Response {
    var response = response(.tooManyRequests, "Too many tries. Come back later.")
    response.headers[.retryAfter] = refusal.retryAfter.map { String($0) }
    return response
  }
}

extension String {
  /// As text of a page.
  var asHTML: String {
    replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(">", with: "&gt;")
      .replacing("\"", with: "&quot;").replacing("'", with: "&#39;")
  }
}

extension Request {
  /// Whether a browser says that a page of another site sends it. Older browsers, and other programs, say nothing.
  var isFromAnotherSite: Bool { ![nil, "same-origin", "none"].contains(headers[.secFetchSite]) }
}

extension HTTPField.Name {
  // Valid names by inspection, which `init?` cannot know.
  fileprivate static let referrerPolicy = Self("Referrer-Policy") ?? .via
  fileprivate static let secFetchSite = Self("Sec-Fetch-Site") ?? .via
}
