import Foundation
import HTTPTypes
import Hummingbird
import Logging
import MadangAPI
import MadangCore
import NIOCore

/// The page to which the link of an invitation leads: somebody who has its code names the address with which they will make an
/// account, for apps have no field for a code. It needs no API key and no script.
struct InvitePage {
  let service: Service

  /// The code in a path `/invite/CODE`; nil for others.
  static func code(in target: RequestTarget) -> String? {
    target.segments.count == 2 && target.segments[0] == "invite" ? target.segments[1] : nil
  }

  /// Answers a GET with the form, a POST by inviting the address. Nil for other methods.
  func respond(to request: Request, code: String, _ client: ClientAddress, _ body: BodyReader) async -> Response? {
    guard [.get, .post].contains(request.method) else { return nil }
    do {
      try service.limits.count(.address(KeyHash(client.network)))
      guard request.method == .post else {
        try await service.madang.requireInvitation(code: code)
        return page(.ok, "Type the e-mail address with which you will make your account.", hasForm: true)
      }
      // Before anything is read for somebody who has no code.
      try await service.madang.requireCode(code)
      let email = try await body.fields().required(.email)
      try await service.madang.accept(code: code, email: email, from: client.text)
      return page(.ok, "Done. Make your account in the app now, with exactly this address.")
    } catch let refusal as Refusal where refusal.code == .tooManyCalls {
      var response = page(.tooManyRequests, "Too many tries. Come back in a minute.")
      response.headers[.retryAfter] = refusal.retryAfter.map { String($0) }
      return response
    } catch let failure as Failure where failure.code == .invalid {
      return page(.badRequest, "That is no e-mail address. Look at it again.", hasForm: true)
    } catch let failure as Failure where failure.code == .notFound {
      return page(.notFound, "This invitation is not valid, or not any more. Ask whoever sent it for another one.")
    } catch {
      service.logger.error("an invitation failed", metadata: ["error": "\(String(reflecting: error))"])
      return page(.serviceUnavailable, "That did not work just now. Try again in a minute.")
    }
  }

  /// - Parameter text: HTML of ours; nothing that a client sent is shown.
  private func page(_ status: HTTPResponse.Status, _ text: String, hasForm: Bool = false) -> Response {
    let parts = Self.parts
    let html = parts.before + "<p>\(text)</p>" + (hasForm ? parts.form : "") + parts.after
    return Response(
      status: status,
      headers: [
        .contentType: "text/html; charset=utf-8", .cacheControl: "no-store", .xContentTypeOptions: "nosniff",
        .contentSecurityPolicy:
          "default-src 'none'; style-src 'unsafe-inline'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'",
        // The address of the page is the secret.
        .referrerPolicy: "no-referrer",
      ], body: ResponseBody(byteBuffer: ByteBuffer(string: html)))
  }

  /// The page's text comes before the form, which stands between two marks.
  private static let parts: (before: String, form: String, after: String) = {
    let html = String(decoding: PackageResources.invite_html, as: UTF8.self)
    let parts = html.components(separatedBy: "<!--form-->")
    return parts.count == 3 ? (parts[0], parts[1], parts[2]) : (html, "", "")
  }()
}

extension HTTPField.Name {
  // A valid name by inspection, which `init?` cannot know.
  fileprivate static let referrerPolicy = Self("Referrer-Policy") ?? .via
}
