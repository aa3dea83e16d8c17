import Foundation
import MadangCore
import NIOCore
import NIOPosix
import Synchronization
import Testing

@testable import MadangProviders

@Suite("Sign-in at mail servers with access tokens", .timeLimit(.minutes(5)))
struct MailTokensTests {
  /// A token endpoint: answers each form with a status and JSON.
  private final class Endpoint: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private let answer: @Sendable (String) -> (Int, String)
    private var text = ""

    init(_ answer: @escaping @Sendable (String) -> (Int, String)) { self.answer = answer }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
      text += String(buffer: unwrapInboundIn(data))
      guard let head = text.firstRange(of: "\r\n\r\n"),
        let length = text[..<head.lowerBound].firstMatch(of: /(?i)content-length: *(\d+)/).flatMap({ Int($0.1) }),
        text[head.upperBound...].utf8.count >= length
      else { return }
      let (status, json) = answer(String(text[head.upperBound...]))
      let lines = [
        "HTTP/1.1 \(status) Status", "Content-Type: application/json", "Content-Length: \(json.utf8.count)",
        "Connection: close", "", json,
      ]
      context.writeAndFlush(wrapOutboundOut(ByteBuffer(string: lines.joined(separator: "\r\n"))), promise: nil)
      context.close(promise: nil)
    }
  }

  private final class Forms: Sendable { let all = Mutex<[String]>([]) }

  private static func withEndpoint(
    _ answer: @escaping @Sendable (String) -> (Int, String), _ body: (String, Forms) async throws -> Void
  ) async throws {
    let forms = Forms()
    let listener = try await ServerBootstrap(group: .singletonMultiThreadedEventLoopGroup)
      .childChannelInitializer { channel in
        channel.eventLoop.makeCompletedFuture {
          try channel.pipeline.syncOperations.addHandler(
            Endpoint { form in
              forms.all.withLock { $0.append(form) }
              return answer(form)
            })
        }
      }
      .bind(host: "127.0.0.1", port: 0).get()
    do { try await body("http://127.0.0.1:\(try #require(listener.localAddress?.port))/token", forms) } catch {
      try await listener.close()
      throw error
    }
    try await listener.close()
  }

  private static func message(_ token: String) -> String {
    Data("user=me\u{1}auth=Bearer \(token)\u{1}\u{1}".utf8).base64EncodedString()
  }

  /// A mail server that takes one token.
  private static func taking(_ token: String) -> @Sendable (String) -> String? {
    { line in
      if line.hasPrefix("EHLO") { return "250-mail\r\n250 AUTH PLAIN XOAUTH2" }
      if line == "AUTH XOAUTH2 \(message(token))" { return "235 2.7.0 Accepted" }
      if line.hasPrefix("AUTH") { return "334 eyJzdGF0dXMiOiI0MDAifQ==" }
      return line.isEmpty ? "535 5.7.8 not accepted" : nil
    }
  }

  private static func settings(_ sender: SMTPSender, _ change: (inout MailOAuthSettings) -> Void) -> MailSettings {
    var settings = sender.settings
    settings.password = ""
    change(&settings.oauth)
    return settings
  }

  private static func folder() throws -> URL {
    let folder = FileManager.default.temporaryDirectory.appending(path: "madang-tokens-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    return folder
  }

  @Test("a refresh token gets an access token, which signs in and is used again until it ends")
  func refresh() async throws {
    try await Self.withEndpoint { _ in
      (200, #"{"access_token":"a.b-1","expires_in":3600,"token_type":"Bearer"}"#)
    } _: {
      url, forms in
      try await SMTPServersTests.withServer(Self.taking("a.b-1")) { plain, _ in
        let settings = Self.settings(plain) {
          ($0.endpoint, $0.client, $0.secret, $0.refreshToken) = (url, "id", "s&x", "1//r")
          $0.scope = "https://mail.google.com/"
        }
        #expect(settings.problems(publicURL: "https://x.kr").isEmpty)
        let sender = try SMTPSender(settings, name: "Chat")
        for _ in 0..<3 { try await sender.check() }
        let sent = forms.all.withLock { $0 }
        #expect(
          sent == [
            "grant_type=refresh_token&refresh_token=1%2F%2Fr&client_id=id&client_secret=s%26x"
              + "&scope=https%3A%2F%2Fmail.google.com%2F"
          ])
      }
    }
  }

  @Test("a client that may send by itself needs no refresh token")
  func clientCredentials() async throws {
    try await Self.withEndpoint { _ in
      (200, #"{"access_token":"abc","expires_in":3600}"#)
    } _: { url, forms in
      try await SMTPServersTests.withServer(Self.taking("abc")) { plain, _ in
        let settings = Self.settings(plain) {
          ($0.endpoint, $0.client, $0.secret) = (url, "id", "s")
          $0.scope = "https://outlook.office365.com/.default"
        }
        try await SMTPSender(settings, name: "Chat").check()
        let form = forms.all.withLock { $0.first }
        #expect(form?.hasPrefix("grant_type=client_credentials&client_id=id&") == true)
      }
    }
  }

  @Test("a refused access token is replaced, and the refusal has no token in it")
  func refused() async throws {
    let count = Mutex(0)
    try await Self.withEndpoint { _ in
      let number = count.withLock { count in
        count += 1
        return count
      }
      return (200, #"{"access_token":"t\#(number)","expires_in":3600}"#)
    } _: { url, _ in
      try await SMTPServersTests.withServer(Self.taking("t2")) { plain, _ in
        let sender = try SMTPSender(
          Self.settings(plain) { ($0.endpoint, $0.client, $0.refreshToken) = (url, "id", "r") }, name: "Chat")
        let error = await #expect(throws: SMTPSender.NotTaken.self) { try await sender.check() }
        #expect(error?.description == "AUTH XOAUTH2 was answered 535 5.7.8")
        try await sender.check()
      }
    }
  }

  @Test("a refresh token that the endpoint replaces is kept for the next start, until another one is configured")
  func rotation() async throws {
    let folder = try Self.folder()
    defer { try? FileManager.default.removeItem(at: folder) }
    // Each refresh token is good once.
    let good = Mutex("r0")
    try await Self.withEndpoint { form in
      good.withLock { good in
        guard form.contains("refresh_token=\(good)&") else { return (400, #"{"error":"invalid_grant"}"#) }
        good = "r\((Int(good.dropFirst()) ?? 0) + 1)"
        return (200, #"{"access_token":"abc","expires_in":0,"refresh_token":"\#(good)"}"#)
      }
    } _: { url, _ in
      try await SMTPServersTests.withServer(Self.taking("abc")) { plain, _ in
        func sender(_ refresh: String) throws -> SMTPSender {
          try SMTPSender(
            Self.settings(plain) { ($0.endpoint, $0.client, $0.refreshToken) = (url, "id", refresh) }, name: "Chat",
            secrets: folder)
        }
        let first = try sender("r0")
        for _ in 0..<2 { try await first.check() }
        // A restart, or the doctor beside the server.
        try await sender("r0").check()
        try await first.check()
        let file = folder.appending(path: "mail-refresh-token")
        #expect(FileMode(file)?.bits == 0o600)
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
        #expect(names == ["mail-refresh-token"])
        good.withLock { $0 = "n7" }
        try await sender("n7").check()
        let error = await #expect(throws: SMTPSender.NotTaken.self) { try await sender("r0").check() }
        #expect(
          error?.description.hasPrefix("mail.oauth.url answers 400 invalid_grant: the refresh token has ended") == true)
      }
    }
  }

  @Test("a token of another program is read from its file at each sign-in")
  func file() async throws {
    let folder = try Self.folder()
    defer { try? FileManager.default.removeItem(at: folder) }
    let file = folder.appending(path: "token")
    try await SMTPServersTests.withServer(Self.taking("second")) { plain, _ in
      let settings = Self.settings(plain) { $0.file = file.path }
      let sender = try SMTPSender(settings, name: "Chat")
      func refusal() async -> String? {
        await #expect(throws: SMTPSender.NotTaken.self) { try await sender.check() }?.description
      }
      #expect(await refusal() == "mail.oauth.file: \(file.path) cannot be read")
      for wrong in ["", "two words", String(repeating: "x", count: 65_537)] {
        try Data(wrong.utf8).write(to: file)
        #expect(await refusal()?.hasPrefix("mail.oauth.file: \(file.path) has no access token") == true)
      }
      try Data("first\n".utf8).write(to: file)
      #expect(await refusal() == "AUTH XOAUTH2 was answered 535 5.7.8")
      try Data("second\n".utf8).write(to: file)
      try await sender.check()
    }
  }

  @Test("a server without XOAUTH2, and an endpoint that does not answer as one, are reported with the cure")
  func unusable() async throws {
    let answers: [(Int, String, String)] = [
      (401, #"{"error":"invalid_client"}"#, "mail.oauth.url answers 401 invalid_client: check mail.oauth.client"),
      (200, "<html>", "mail.oauth.url: the answer has no access_token"),
      (200, #"{"access_token":"a b"}"#, "mail.oauth.url: the answer has no access_token"),
      (503, #"{"error":"Mina's secret"}"#, "mail.oauth.url answers 503"),
    ]
    for (status, json, words) in answers {
      try await Self.withEndpoint { _ in
        (status, json)
      } _: { url, _ in
        let silent: @Sendable (String) -> String? = { _ in nil }
        try await SMTPServersTests.withServer(silent) { plain, lines in
          let sender = try SMTPSender(
            Self.settings(plain) { ($0.endpoint, $0.client, $0.refreshToken) = (url, "id", "r") }, name: "Chat")
          let error = await #expect(throws: SMTPSender.NotTaken.self) { try await sender.check() }
          #expect(error?.description.hasPrefix(words) == true, "\(error?.description ?? "")")
          #expect(error?.description.contains("Mina") == false)
          // The mail server is not made to wait.
          let asked = lines.all.withLock { $0 }
          #expect(asked.isEmpty)
        }
      }
    }
    let passwords: @Sendable (String) -> String? = { $0.hasPrefix("EHLO") ? "250-mail\r\n250 AUTH PLAIN" : nil }
    try await SMTPServersTests.withServer(passwords) { plain, lines in
      let folder = try Self.folder()
      defer { try? FileManager.default.removeItem(at: folder) }
      let file = folder.appending(path: "token")
      try Data("abc".utf8).write(to: file)
      let sender = try SMTPSender(Self.settings(plain) { $0.file = file.path }, name: "Chat")
      let error = await #expect(throws: SMTPSender.NotTaken.self) { try await sender.check() }
      #expect(error?.description.hasPrefix("the server does not offer AUTH XOAUTH2") == true)
      #expect(!lines.all.withLock { $0.contains { $0.hasPrefix("AUTH") } })
    }
  }

  @Test("settings of tokens that contradict each other are refused, each with a cure")
  func settings() {
    func problems(_ change: (inout MailSettings) -> Void) -> [String] {
      var mail = MailSettings()
      (mail.server, mail.from, mail.user) = ("smtp://mail.example.com", "chat@example.com", "me")
      change(&mail)
      return mail.problems(publicURL: "https://x.kr").map { String($0.prefix { $0 != ":" }) }
    }
    let endpoint = "https://login.example.com/token"
    #expect(problems { ($0.oauth.endpoint, $0.oauth.client, $0.oauth.refreshToken) = (endpoint, "id", "r") } == [])
    #expect(problems { $0.oauth.file = "/run/token" } == [])
    #expect(
      problems {
        ($0.oauth.file, $0.password, $0.user) = ("/run/token", "x", "")
      } == ["mail.user", "mail.password"])
    #expect(problems { ($0.oauth.file, $0.oauth.client) = ("/run/token", "id") } == ["mail.oauth.file"])
    #expect(problems { $0.oauth.endpoint = endpoint } == ["mail.oauth.client", "mail.oauth.refresh"])
    #expect(
      problems { ($0.oauth.endpoint, $0.oauth.client, $0.oauth.secret) = ("http://x.kr/t", "id", "s") }
        == ["mail.oauth.url"])
    #expect(problems { ($0.oauth.refreshToken, $0.password) = ("r", "x") } == ["mail.oauth.url"])
  }
}
