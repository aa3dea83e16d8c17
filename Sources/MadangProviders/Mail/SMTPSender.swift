import Foundation
import MadangCore
import NIOCore
import NIOSSL

/// Sends mails through a mail server (RFC 5321, RFC 3207, RFC 4954).
///
/// A small client of our own: no maintained Swift library offers SMTP on SwiftNIO with required TLS and time limits.
package struct SMTPSender: MailSender {
  /// A temporary reason why a mail was not accepted.
  package struct NotTaken: Error, CustomStringConvertible {
    package let description: String
  }

  let settings: MailSettings
  private let name: String
  private let endpoint: SMTPEndpoint
  private let from: MailAddress
  private let tls: NIOSSLContext
  /// Nil to sign in with a password, or not at all.
  private let tokens: MailTokens?

  /// - Parameters:
  ///   - name: The sender's name.
  ///   - calls: Reach the token endpoint.
  ///   - secrets: The directory for a refresh token that the endpoint has replaced; nil for none.
  /// - Throws: ``SetupError`` for settings that cannot be used.
  package init(_ settings: MailSettings, name: String, calls: ProviderCalls? = nil, secrets: URL? = nil) throws {
    guard let endpoint = settings.endpoint, let from = MailAddress(settings.from) else {
      throw SetupError(settings.problems(publicURL: "").joined(separator: "\n"))
    }
    var configuration = TLSConfiguration.makeClientConfiguration()
    configuration.minimumTLSVersion = .tlsv12
    if !settings.authorities.isEmpty {
      configuration.additionalTrustRoots = [
        .certificates(try TrustedAuthorities.read(settings.authorities, named: "mail.tls.authorities"))
      ]
    }
    tls = try NIOSSLContext(configuration: configuration)
    (self.settings, self.name, self.endpoint, self.from) = (settings, name, endpoint, from)
    tokens =
      settings.oauth.isUsed
      ? MailTokens(
        settings.oauth, calls: calls ?? ProviderCalls(timeout: .seconds(settings.timeout)),
        kept: secrets?.appending(path: "mail-refresh-token")) : nil
  }

  package func send(_ mail: ClaimedMail) async throws {
    guard let to = MailAddress(mail.mail.recipient) else {
      throw MailRefused(reason: "its address is not ASCII", isByServer: false)
    }
    try await signedIn { connection, end in
      _ = try await ask("MAIL FROM:<\(from.text)>", 250, on: connection, "MAIL FROM")
      try await connection.send("RCPT TO:<\(to.text)>")
      let recipient = try await connection.reply()
      if recipient.isAboutSender { throw NotTaken(description: Self.words("RCPT TO", recipient)) }
      try Self.requireTaken(250...251, recipient, "RCPT TO")
      _ = try await ask("DATA", 354, on: connection)
      let message = MailMessage(mail: mail, from: from, name: name, to: to)
      try await connection.send(bytes: Self.data(message.text))
      // The server has the mail and may examine it for long: giving up now would send it twice (RFC 5321, 4.5.3.2.6).
      end.cancel()
      let last = connection.close(after: .seconds(settings.answerTimeout))
      defer { last.cancel() }
      let answer: SMTPReply
      do { answer = try await connection.reply() } catch {
        throw MailUnanswered(reason: "it is unknown whether the mail was accepted: \(networkWords(error))")
      }
      try Self.requireTaken(250...250, answer, "the mail")
    }
  }

  /// Signs in without sending a mail. Throws the reason if that fails.
  package func check() async throws { try await signedIn { _, _ in } }

  /// - Parameter body: Receives the task that ends the connection when its time is over.
  private func signedIn(_ body: (SMTPConnection, Scheduled<Void>) async throws -> Void) async throws {
    let limit = Duration.seconds(settings.timeout)
    let token = try await accessToken()
    let connection = try await SMTPConnection.open(endpoint, tls, timeout: limit)
    let end = connection.close(after: limit)
    defer {
      end.cancel()
      connection.close()
    }
    try await withTaskCancellationHandler {
      _ = try await expect(220, on: connection, "greeting")
      var abilities = try await greet(connection)
      if endpoint.security == .startTLS {
        guard abilities.contains("STARTTLS") else {
          throw NotTaken(description: "the server offers no STARTTLS; see mail.tls")
        }
        _ = try await ask("STARTTLS", 220, on: connection)
        try await connection.startTLS(tls)
        abilities = try await greet(connection)
      }
      if !settings.user.isEmpty { try await authenticate(connection, abilities, token) }
      try await body(connection, end)
      // The server already has the mail, so an error here is ignored.
      try? await connection.send("QUIT")
    } onCancel: {
      connection.close()
    }
  }

  /// A mail's lines as sent, with the terminating line. A line that begins with a dot gets another dot.
  static func data(_ text: String) -> [UInt8] {
    var result: [UInt8] = []
    var isStart = true
    for byte in text.utf8 {
      if isStart, byte == UInt8(ascii: ".") { result.append(byte) }
      result.append(byte)
      isStart = byte == UInt8(ascii: "\n")
    }
    return result + Array(".\r\n".utf8)
  }

  /// The server's extensions, in capitals.
  private func greet(_ connection: SMTPConnection) async throws -> [String] {
    try await connection.send("EHLO \(from.domain)")
    let reply = try await connection.reply()
    if Self.isUnknownCommand(reply) {
      // A server without extensions.
      _ = try await ask("HELO \(from.domain)", 250, on: connection, "HELO")
      return []
    }
    try Self.require(250, reply, "EHLO")
    return reply.lines.dropFirst().map { $0.uppercased() }
  }

  /// Whether the server rejected the command or its syntax. It may accept another form of the command.
  private static func isUnknownCommand(_ reply: SMTPReply) -> Bool { [500, 501, 502, 504].contains(reply.code) }

  /// Nil to sign in with a password.
  private func accessToken() async throws -> String? {
    do { return try await tokens?.text } catch let unavailable as MailTokens.Unavailable {
      throw NotTaken(description: unavailable.description)
    }
  }

  private func authenticate(_ connection: SMTPConnection, _ abilities: [String], _ token: String?) async throws {
    // Old servers write `AUTH=LOGIN`.
    let methods = abilities.flatMap { line in
      line.hasPrefix("AUTH ") || line.hasPrefix("AUTH=") ? line.split { $0 == " " || $0 == "=" }.dropFirst() : []
    }
    if let token { return try await authenticate(connection, methods, by: token) }
    var refusal: SMTPReply?
    if methods.contains("PLAIN") {
      let reply = try await answer(to: "PLAIN", "\0\(settings.user)\0\(settings.password)", on: connection)
      // Wrong credentials are not tried in another way, because servers lock accounts after some attempts.
      guard Self.isUnknownCommand(reply) else { return try Self.require(235, reply, "AUTH PLAIN") }
      refusal = reply
    }
    if methods.contains("LOGIN") {
      _ = try await ask("AUTH LOGIN", 334, on: connection)
      _ = try await ask(base64(settings.user), 334, on: connection, "AUTH LOGIN")
      _ = try await ask(base64(settings.password), 235, on: connection, "AUTH LOGIN")
    } else if let refusal {
      try Self.require(235, refusal, "AUTH PLAIN")
    } else {
      throw NotTaken(description: "the server offers neither AUTH PLAIN nor AUTH LOGIN on this connection")
    }
  }

  /// Source: https://developers.google.com/workspace/gmail/imap/xoauth2-protocol
  private func authenticate(_ connection: SMTPConnection, _ methods: [Substring], by token: String) async throws {
    guard methods.contains("XOAUTH2") else {
      throw NotTaken(
        description:
          "the server does not offer AUTH XOAUTH2 on this connection; sign in with mail.password instead of mail.oauth.*"
      )
    }
    var reply = try await answer(
      to: "XOAUTH2", "user=\(settings.user)\u{1}auth=Bearer \(token)\u{1}\u{1}", on: connection)
    if reply.code == 334 {
      // It describes the error, and the refusal follows an empty line.
      try await connection.send("")
      reply = try await connection.reply()
    }
    if reply.code != 235 { await tokens?.forget(token) }
    try Self.require(235, reply, "AUTH XOAUTH2")
  }

  /// Sends the only message of a mechanism.
  private func answer(to mechanism: String, _ message: String, on connection: SMTPConnection) async throws -> SMTPReply
  {
    try await connection.send("AUTH \(mechanism) \(base64(message))")
    let reply = try await connection.reply()
    guard reply.code == 501 else { return reply }
    // The server does not accept the message on the line of the command.
    try await connection.send("AUTH \(mechanism)")
    let invitation = try await connection.reply()
    guard invitation.code == 334 else { return invitation }
    try await connection.send(base64(message))
    return try await connection.reply()
  }

  private func base64(_ text: String) -> String { Data(text.utf8).base64EncodedString() }

  /// - Parameter name: The command's name in errors, without secrets.
  private func ask(_ line: String, _ code: Int, on connection: SMTPConnection, _ name: String? = nil) async throws
    -> SMTPReply
  {
    try await connection.send(line)
    return try await expect(code, on: connection, name ?? line)
  }

  private func expect(_ code: Int, on connection: SMTPConnection, _ name: String) async throws -> SMTPReply {
    let reply = try await connection.reply()
    try Self.require(code, reply, name)
    return reply
  }

  /// Throws ``NotTaken`` for a reply other than `code`, even for 5xx: its cause is not the mail, but perhaps Madang's settings.
  private static func require(_ code: Int, _ reply: SMTPReply, _ name: String) throws {
    guard reply.code == code else { throw NotTaken(description: words(name, reply)) }
  }

  /// Throws ``MailRefused`` for 5xx, and ``NotTaken`` for other unexpected replies.
  private static func requireTaken(_ codes: ClosedRange<Int>, _ reply: SMTPReply, _ name: String) throws {
    guard !codes.contains(reply.code) else { return }
    let words = words(name, reply)
    if reply.code >= 500 { throw MailRefused(reason: words, isByServer: true) }
    throw NotTaken(description: words)
  }

  /// For the log: codes only, because servers repeat addresses in their texts.
  private static func words(_ name: String, _ reply: SMTPReply) -> String {
    "\(name) was answered \(reply.code)\(reply.enhanced.map { " \($0)" } ?? "")"
  }
}
