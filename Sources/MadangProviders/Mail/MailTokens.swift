import Foundation
import MadangCore

/// Access tokens for a mail server: from a file that another program renews, or from a token endpoint (RFC 6749, sections 4.4 and 6).
struct MailTokens: Sendable {
  /// No token can be had now. The text is for operators.
  struct Unavailable: Error, CustomStringConvertible {
    let description: String
  }

  private enum Source: Sendable {
    case file(String)
    case endpoint(ExpiringToken)
  }

  private let source: Source

  /// - Parameter kept: The file for a refresh token that the endpoint has replaced; nil to keep it in memory only.
  init(_ settings: MailOAuthSettings, calls: ProviderCalls, kept: URL?) {
    guard settings.file.isEmpty else {
      source = .file(settings.file)
      return
    }
    let refresh = settings.refreshToken.isEmpty ? nil : KeptRefreshToken(given: settings.refreshToken, file: kept)
    source = .endpoint(ExpiringToken { try await Self.request(settings, refresh, calls) })
  }

  /// A token that is valid for a while. Throws ``Unavailable``.
  var text: String {
    get async throws {
      switch source {
      case .file(let path): return try Self.read(path)
      case .endpoint(let token): return try await token.text
      }
    }
  }

  /// The mail server has refused a token.
  func forget(_ text: String) async {
    if case .endpoint(let token) = source { await token.forget(text) }
  }

  private static let maxFile = 65_536

  private static func read(_ path: String) throws -> String {
    let bytes: Data
    do {
      let file = try FileHandle(forReadingFrom: URL(filePath: path))
      bytes = try file.read(upToCount: maxFile + 1) ?? Data()
    } catch {
      throw Unavailable(description: "mail.oauth.file: \(path) cannot be read")
    }
    let text = String(decoding: bytes, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
    guard bytes.count <= maxFile, isToken(text) else {
      throw Unavailable(description: "mail.oauth.file: \(path) has no access token, which is one line of visible ASCII")
    }
    return text
  }

  /// Whether a text has only the letters of tokens (RFC 6750, section 2.1, and RFC 6749, appendix A.12).
  private static func isToken(_ text: String) -> Bool {
    !text.isEmpty && text.utf8.allSatisfy { (0x21...0x7e).contains($0) }
  }

  // MARK: The endpoint

  private struct Granted: Decodable {
    let accessToken: String
    let expiresIn: Int?
    let refreshToken: String?
  }

  private struct Refused: Decodable { let error: String }

  private static func request(
    _ settings: MailOAuthSettings, _ refresh: KeptRefreshToken?, _ calls: ProviderCalls
  ) async throws -> ExpiringToken.Token {
    let shown = await refresh?.text
    let answer = try await ask(settings, shown, calls)
    if answer.status == 200 { return try await take(answer, refresh) }
    // Another process of this machine may have got the successor of this refresh token.
    if let refresh, let shown, let other = await refresh.reread(), other != shown {
      let second = try await ask(settings, other, calls)
      if second.status == 200 { return try await take(second, refresh) }
    }
    throw Unavailable(description: words(of: answer))
  }

  private static func ask(
    _ settings: MailOAuthSettings, _ refreshToken: String?, _ calls: ProviderCalls
  ) async throws -> ProviderCalls.Answer {
    var fields = [("grant_type", refreshToken == nil ? "client_credentials" : "refresh_token")]
    if let refreshToken { fields.append(("refresh_token", refreshToken)) }
    fields.append(("client_id", settings.client))
    if !settings.secret.isEmpty { fields.append(("client_secret", settings.secret)) }
    if !settings.scope.isEmpty { fields.append(("scope", settings.scope)) }
    let form = fields.map { "\($0)=\($1.percentEncoded())" }.joined(separator: "&")
    do {
      return try await calls.post(settings.endpoint, type: "application/x-www-form-urlencoded", Array(form.utf8))
    } catch {
      let cause = (error as? ProviderCalls.Unanswered)?.cause ?? error
      throw Unavailable(description: "mail.oauth.url does not answer: \(networkWords(cause))")
    }
  }

  private static func take(_ answer: ProviderCalls.Answer, _ refresh: KeptRefreshToken?) async throws
    -> ExpiringToken.Token
  {
    guard let granted: Granted = try? answer.decode(), isToken(granted.accessToken) else {
      throw Unavailable(
        description: "mail.oauth.url: the answer has no access_token; check that it is a token endpoint")
    }
    if let next = granted.refreshToken, isToken(next) { await refresh?.replace(by: next) }
    // A token without an end is asked for at each sign-in, as it may end at any time.
    return ExpiringToken.Token(text: granted.accessToken, lifetime: .seconds(min(granted.expiresIn ?? 0, 86_400)))
  }

  /// Only the code of a refusal: endpoints repeat addresses and identifiers in their texts.
  private static func words(of answer: ProviderCalls.Answer) -> String {
    let code = (try? answer.decode(Refused.self))?.error ?? ""
    let isCode = code.utf8.count <= 40 && code.utf8.allSatisfy { (0x61...0x7a).contains($0) || $0 == UInt8(ascii: "_") }
    let start = "mail.oauth.url answers \(answer.status)\(isCode && !code.isEmpty ? " \(code)" : "")"
    return switch code {
    case "invalid_grant": "\(start): the refresh token has ended or was revoked; make a new one for mail.oauth.refresh"
    case "invalid_client", "unauthorized_client": "\(start): check mail.oauth.client and mail.oauth.secret"
    case "invalid_scope": "\(start): check mail.oauth.scope"
    default: start
    }
  }
}

/// The refresh token in use. The endpoint may replace it (RFC 6749, section 6), and the former one then ends at some time: so the new one is
/// kept in a file, beside the installation's secrets. A newly configured token wins over the kept one.
private actor KeptRefreshToken {
  private let given: String
  private let file: URL?
  private(set) var text: String

  init(given: String, file: URL?) {
    (self.given, self.file) = (given, file)
    text = Self.kept(of: given, in: file) ?? given
  }

  func replace(by next: String) {
    guard next != text else { return }
    text = next
    guard let file else { return }
    try? PrivateFile(file.path).replace(with: Data("\(Madang.keyHash(given))\n\(next)\n".utf8))
  }

  /// The token that another process has kept since; nil if there is none.
  func reread() -> String? {
    guard let kept = Self.kept(of: given, in: file) else { return nil }
    text = kept
    return kept
  }

  /// The file has the hash of the configured token, and the one that followed it.
  private static func kept(of given: String, in file: URL?) -> String? {
    guard let file, let text = try? String(contentsOf: file, encoding: .utf8) else { return nil }
    let lines = text.split(separator: "\n")
    return lines.count == 2 && lines[0] == Madang.keyHash(given) ? String(lines[1]) : nil
  }
}
