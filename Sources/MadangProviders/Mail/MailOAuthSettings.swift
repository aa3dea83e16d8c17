import Foundation
import MadangCore

/// Sign-in at the mail server with access tokens in place of a password (SASL `XOAUTH2`).
public struct MailOAuthSettings: Sendable {
  public var endpoint = setting(
    "mail.oauth.url", "", .text,
    "token endpoint that gives access tokens for mail.user, like https://oauth2.googleapis.com/token; empty to sign in with "
      + "mail.password")
  public var client = setting("mail.oauth.client", "", .text, "client id at that endpoint")
  public var secret = setting(
    "mail.oauth.secret", "", .text, "client secret at that endpoint; empty if the client has none", .secret)
  /// Without one the client asks for itself (RFC 6749, section 4.4).
  public var refreshToken = setting(
    "mail.oauth.refresh", "", .text,
    "refresh token of mail.user; empty for a client that may send mails by itself (client credentials)", .secret)
  public var scope = setting(
    "mail.oauth.scope", "", .text, "scope to ask for; empty for that of the refresh token")
  public var file = setting(
    "mail.oauth.file", "", .text,
    "file with an access token that another program renews, read at each sign-in, instead of mail.oauth.url")

  public init() {}

  package var isUsed: Bool { !endpoint.isEmpty || !file.isEmpty }

  /// Problems of these settings, each with a cure.
  func problems(user: String, password: String) -> [String] {
    guard isUsed else {
      let isPartial = ![client, secret, refreshToken, scope].allSatisfy(\.isEmpty)
      return isPartial ? ["mail.oauth.url: is missing; set the token endpoint, or leave out mail.oauth.*"] : []
    }
    var problems: [String] = []
    if user.isEmpty { problems.append("mail.user: is missing; set the account that mail.oauth.* is for") }
    if !password.isEmpty {
      problems.append("mail.password: tokens take its place; leave out either mail.password or mail.oauth.*")
    }
    guard file.isEmpty else {
      let isAlone = [endpoint, client, secret, refreshToken, scope].allSatisfy(\.isEmpty)
      if !isAlone { problems.append("mail.oauth.file: stands alone; leave out the other mail.oauth.*, or the file") }
      return problems
    }
    let url = URLComponents(string: endpoint)
    let isLocal = url?.scheme == "http" && isLoopback(url?.host ?? "")
    if url?.scheme != "https" && !isLocal || url?.host?.isEmpty ?? true {
      problems.append("mail.oauth.url: must begin with https://; write the token endpoint of the mail provider")
    }
    if client.isEmpty { problems.append("mail.oauth.client: is missing; set the client id") }
    if refreshToken.isEmpty && secret.isEmpty {
      problems.append(
        "mail.oauth.refresh: is missing; set the refresh token, or mail.oauth.secret of a client that may send by itself"
      )
    }
    return problems
  }
}
