import Foundation
import MadangCore
import NIOCore
import NIOPosix
import Synchronization
import Testing

@testable import MadangProviders

@Suite("Odd SMTP servers", .timeLimit(.minutes(5)))
struct SMTPServersTests {
  /// Answers line by line, as one of these servers does.
  static func withServer(
    _ answer: @escaping @Sendable (String) -> String?, _ body: (SMTPSender, Heard) async throws -> Void
  ) async throws {
    let lines = Heard()
    let listener = try await ServerBootstrap(group: .singletonMultiThreadedEventLoopGroup)
      .childChannelInitializer { channel in
        channel.eventLoop.makeCompletedFuture {
          try channel.pipeline.syncOperations.addHandler(
            Lines { line in
              lines.all.withLock { $0.append(line) }
              return answer(line)
            })
        }
      }
      .bind(host: "127.0.0.1", port: 0).get()
    var settings = MailSettings()
    settings.server = "smtp://127.0.0.1:\(try #require(listener.localAddress?.port))"
    (settings.user, settings.password, settings.from) = ("me", "secret", "chat@example.com")
    settings.timeout = 20
    do { try await body(try SMTPSender(settings, name: "Chat"), lines) } catch {
      try await listener.close()
      throw error
    }
    try await listener.close()
  }

  final class Heard: Sendable { let all = Mutex<[String]>([]) }

  private final class Lines: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private let answer: @Sendable (String) -> String?
    private var text = ""

    init(_ answer: @escaping @Sendable (String) -> String?) { self.answer = answer }

    func channelActive(context: ChannelHandlerContext) { say("220 ready", context) }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
      text += String(buffer: unwrapInboundIn(data))
      while let end = text.firstIndex(of: "\r\n") {
        let line = String(text[..<end])
        text = String(text[text.index(after: end)...])
        say(answer(line) ?? "250 ok", context)
      }
    }

    private func say(_ line: String, _ context: ChannelHandlerContext) {
      context.writeAndFlush(wrapOutboundOut(ByteBuffer(string: line + "\r\n")), promise: nil)
    }
  }

  private static let base64 = ["", "me", "secret", "\0me\0secret"].map { Data($0.utf8).base64EncodedString() }

  /// Takes `LOGIN` with the right name and password.
  private static func login(_ line: String) -> String? {
    switch line {
    case "AUTH LOGIN": "334 VXNlcm5hbWU6"
    case base64[1]: "334 UGFzc3dvcmQ6"
    case base64[2]: "235 in"
    default: nil
    }
  }

  @Test(
    "sign-in works with AUTH=LOGIN, or with LOGIN after a refused PLAIN",
    arguments: [
      "AUTH=LOGIN", "AUTH=LOGIN PLAIN", "AUTH PLAIN LOGIN", "auth login", "AUTH GSSAPI NTLM\r\n250 AUTH LOGIN",
    ])
  func logins(_ offer: String) async throws {
    let answer: @Sendable (String) -> String? = { line in
      if line.hasPrefix("EHLO") { return "250-mail\r\n250\(offer.contains("\r\n") ? "-" : " ")\(offer)" }
      return line.hasPrefix("AUTH PLAIN") ? "504 5.7.4 Unrecognized authentication type" : Self.login(line)
    }
    try await Self.withServer(answer) { sender, lines in
      try await sender.check()
      #expect(lines.all.withLock { $0.contains(Self.base64[2]) })
    }
  }

  @Test("the secret of AUTH PLAIN is sent afterwards if the server wants that")
  func noInitialResponse() async throws {
    let answer: @Sendable (String) -> String? = { line in
      switch line {
      case "AUTH PLAIN": "334 "
      case Self.base64[3]: "235 in"
      case _ where line.hasPrefix("EHLO"): "250-mail\r\n250 AUTH PLAIN"
      case _ where line.hasPrefix("AUTH"): "501 5.5.2 no initial response"
      default: nil
      }
    }
    try await Self.withServer(answer) { sender, _ in try await sender.check() }
  }

  @Test("a refused password is not tried by another method")
  func wrongPassword() async throws {
    let answer: @Sendable (String) -> String? = { line in
      if line.hasPrefix("EHLO") { return "250-mail\r\n250 AUTH PLAIN LOGIN" }
      return line.hasPrefix("AUTH") ? "535 5.7.8 no" : nil
    }
    try await Self.withServer(answer) { sender, lines in
      await #expect(throws: SMTPSender.NotTaken.self) { try await sender.check() }
      #expect(lines.all.withLock { $0.count { $0.hasPrefix("AUTH") } } == 1)
    }
  }

  @Test(
    "a server with HELO only works, and one without a sign-in method is reported", arguments: [false, true])
  func helo(_ signsIn: Bool) async throws {
    let answer: @Sendable (String) -> String? = { $0.hasPrefix("EHLO") ? "502 5.5.1 not implemented" : nil }
    try await Self.withServer(answer) { sender, lines in
      let error = await #expect(throws: SMTPSender.NotTaken.self) { try await sender.check() }
      #expect(error?.description.contains("neither AUTH PLAIN nor AUTH LOGIN") == true)
      #expect(lines.all.withLock { $0.contains("HELO example.com") })
      guard !signsIn else { return }
      var settings = sender.settings
      (settings.user, settings.password) = ("", "")
      try await SMTPSender(settings, name: "Chat").check()
    }
  }

  @Test("a TLS error names cause and cure, without a library's source lines")
  func tls() async throws {
    let answer: @Sendable (String) -> String? = { _ in nil }
    try await Self.withServer(answer) { sender, _ in
      var settings = sender.settings
      settings.server = settings.server.replacing("smtp:", with: "smtps:")
      let error = await #expect(throws: (any Error).self) { try await SMTPSender(settings, name: "Chat").check() }
      let words = networkWords(try #require(error))
      #expect(words.contains("this port does not use TLS") && words.contains("smtp:// for STARTTLS"), "\(words)")
      #expect("\(try #require(error))".contains("WRONG_VERSION_NUMBER"))
    }
  }

  @Test("source lines are removed from a library's errors")
  func sourcePlaces() {
    struct Failure: Error, CustomStringConvertible { let description: String }
    let error = Failure(description: "[Error: 1 error:1000007d:SSL routines:A at /b/.build/checkouts/x y/z.cc:393] end")
    #expect(
      !networkWords(Failure(description: "error at /home/me/.build/checkouts/ssl/handshake.cc:393]")).contains("/"))
    #expect(networkWords(error).hasPrefix("[Error: 1"))
  }
}
