import Foundation
import HTTPTypes
import Hummingbird
import NIOCore

/// A page for people, without a script, that is cached nowhere.
struct Page: Sendable {
  private let before: String
  private let form: String
  private let after: String

  /// - Parameter html: The page's text comes before the form, which stands between two marks.
  init(_ html: [UInt8]) {
    let html = String(decoding: html, as: UTF8.self)
    let parts = html.components(separatedBy: "<!--form-->")
    (before, form, after) = parts.count == 3 ? (parts[0], parts[1], parts[2]) : (html, "", "")
  }

  /// - Parameter text: HTML of ours; nothing that a client sent is shown.
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

  /// For who calls too often.
  func tooManyCalls(_ refusal: Refusal) -> Response {
    var response = response(.tooManyRequests, "Too many tries. Come back later.")
    response.headers[.retryAfter] = refusal.retryAfter.map { String($0) }
    return response
  }
}

extension HTTPField.Name {
  // A valid name by inspection, which `init?` cannot know.
  fileprivate static let referrerPolicy = Self("Referrer-Policy") ?? .via
}
