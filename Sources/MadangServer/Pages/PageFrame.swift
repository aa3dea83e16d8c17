import Crypto
import Foundation
import HTTPTypes
import Hummingbird
import MadangCore
import NIOCore

/// Makes pages for people: HTML that works without a script, and is cached nowhere. Style and script are within the page, allowed by their
/// hashes, so pages load nothing.
struct PageFrame: Sendable {
  let face: Face
  private let style: String
  private let script: String
  private let policy: String
  private let policyWithScript: String

  init(_ face: Face) {
    self.face = face
    style = "\n" + Look.css(face) + String(decoding: PackageResources.page_css, as: UTF8.self)
    script = "\n" + String(decoding: PackageResources.page_js, as: UTF8.self)
    let rest = "form-action 'self'; frame-ancestors 'none'; base-uri 'none'"
    policy = "default-src 'none'; style-src \(Self.source(style)); \(rest)"
    policyWithScript =
      policy + "; script-src \(Self.source(script)); require-trusted-types-for 'script'; trusted-types 'none'"
  }

  private static func source(_ text: String) -> String {
    "'sha256-\(Data(SHA256.hash(data: Data(text.utf8))).base64EncodedString())'"
  }

  func response(_ status: HTTPResponse.Status, _ card: Card, in language: Language) -> Response {
    let page = html(card, in: language)
    return Response(
      status: status,
      headers: [
        .contentType: "text/html; charset=utf-8", .contentLanguage: language.rawValue, .cacheControl: "no-store",
        .xContentTypeOptions: "nosniff", .contentSecurityPolicy: card.hasScript ? policyWithScript : policy,
        // The address of the page may be a secret. With no-referrer its form would have no origin either.
        .referrerPolicy: "strict-origin",
      ], body: ResponseBody(byteBuffer: ByteBuffer(string: page)))
  }

  func html(_ card: Card, in language: Language) -> String {
    """
    <!doctype html>
    <html lang="\(language.rawValue)">
    <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <meta name="robots" content="noindex">
    <meta name="color-scheme" content="light dark">
    <title>\(card.title.asHTML) · \(face.name.asHTML)</title>
    <style>\(style)</style>
    </head>
    <body>
    <main class="card">
    <div class="mark" aria-hidden="true">\(String(face.name.prefix(1)).asHTML)</div>
    <div><h1>\(card.title.asHTML)</h1><p class="soft lead">\(card.text.asHTML)</p></div>
    \(parts(of: card, PageWords.of(language)).joined(separator: "\n"))
    </main>
    \(card.hasScript ? "<script>\(script)</script>\n" : "")</body>
    </html>

    """
  }

  private func parts(of card: Card, _ words: PageWords) -> [String] {
    var parts: [String] = []
    if !card.facts.isEmpty {
      parts.append("<p class=\"facts\">\(card.facts.map(\.asHTML).joined(separator: "<br>"))</p>")
    }
    if let (form, button) = card.form {
      let trouble =
        card.trouble.isEmpty ? "" : "<p class=\"trouble\" role=\"alert\" id=\"trouble\">\(card.trouble.asHTML)</p>\n"
      parts.append(
        """
        <form method="post">
        <div class="form">
        \(fields(form, words, isWrong: !card.trouble.isEmpty).joined(separator: "\n"))
        \(trouble)<button class="button main">\(button.asHTML)</button>
        </div>
        </form>
        """)
    }
    parts += card.ways.filter(\.isMain).map { way in
      "<a class=\"button main way\" href=\"\(way.path.asHTML)\">\(way.text.asHTML)</a>"
    }
    let footer =
      (card.note.isEmpty ? [] : ["<p>\(card.note.asHTML)</p>"])
      + card.ways.filter { !$0.isMain }.map { way in
        "<a class=\"link\" href=\"\(way.path.asHTML)\">\(way.text.asHTML)</a>"
      }
    if !footer.isEmpty { parts.append("<footer>\n\(footer.joined(separator: "\n"))\n</footer>") }
    return parts
  }

  private func fields(_ form: Card.Form, _ words: PageWords, isWrong: Bool) -> [String] {
    let wrong = isWrong ? " aria-invalid=\"true\" aria-describedby=\"trouble\"" : ""
    switch form {
    case .email:
      return [
        """
        <label class="field"><span>\(words.email)</span><input name="email" type="email" maxlength="254" \
        autocomplete="email" required autofocus\(wrong)></label>
        """
      ]
    case .password:
      return [secret(words.password, "autocomplete=\"current-password\" autofocus\(wrong)", words)]
    case .newPassword(let account):
      let rules = [
        ("long", words.rule.long), ("upper", words.rule.upper), ("lower", words.rule.lower),
        ("digit", words.rule.digit), ("sign", words.rule.sign), ("same", words.rule.same),
      ]
      return [
        "<input name=\"username\" type=\"email\" autocomplete=\"username\" value=\"\(account.asHTML)\" hidden>",
        secret(
          words.newPassword,
          "minlength=\"8\" autocomplete=\"new-password\" autofocus\(isWrong ? " aria-invalid=\"true\"" : "") "
            + "aria-describedby=\"\(isWrong ? "trouble " : "")rules\"", words),
        """
        <div class="field"><label for="again">\(words.passwordAgain)</label>\
        \(input("again", "minlength=\"8\" autocomplete=\"new-password\""))</div>
        """,
        """
        <ul class="rules" id="rules" aria-label="\(words.rules)">
        \(rules.map { "<li class=\"pill\" data-rule=\"\($0)\">\($1)</li>" }.joined(separator: "\n"))
        </ul>
        <p class="heard" role="status" data-missing="\(words.missing)" data-met="\(words.met)"></p>
        """,
      ]
    }
  }

  /// A field of a password, within ``secret(_:_:_:)`` or below it.
  private func input(_ name: String, _ attributes: String) -> String {
    "<input id=\"\(name)\" name=\"\(name)\" type=\"password\" required \(attributes)>"
  }

  /// A field with a button that, if scripts run, shows what was typed.
  private func secret(_ label: String, _ attributes: String, _ words: PageWords) -> String {
    """
    <div class="field"><label for="password">\(label)</label><div class="secret">\(input("password", attributes))\
    <button class="button" type="button" aria-controls="password" data-hide="\(words.hide)" hidden>\(words.show)</button>\
    </div></div>
    """
  }
}

extension Card {
  /// Whether the script has something to do.
  fileprivate var hasScript: Bool {
    switch form?.0 {
    case .newPassword, .password: true
    case .email, nil: false
    }
  }
}
