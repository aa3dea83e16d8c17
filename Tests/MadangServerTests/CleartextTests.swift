import HTTPTypes
import Hummingbird
import MadangCore
import Support
import Testing

@testable import MadangOperations
@testable import MadangProviders
@testable import MadangServer

@Suite("Connections in plain text", .timeLimit(.minutes(5)))
struct CleartextTests {
  @Test(
    "connections in plain text to other machines are reported with a cure, those to this machine are not",
    arguments: [
      ("http://chat.example.com", .publicURL), ("http://127.evil.example", .publicURL), ("http://127.0.0.1:8080", nil),
      ("http://[::1]:8080", nil), ("http://localhost", nil), ("https://chat.example.com", nil), ("", nil),
    ] as [(String, DoctorCheck?)])
  func publicURL(_ url: String, _ check: DoctorCheck?) {
    var settings = ServerSettings()
    settings.publicURL = url
    #expect(settings.dangers().map(\.check) == (check.map { [$0] } ?? []))
    settings.isDevelopment = true
    #expect(settings.dangers() == [])
  }

  @Test("a bucket or mail server in plain text is reported on other machines only")
  func others() {
    var settings = ServerSettings()
    settings.filesHome = "s3://bucket"
    for (endpoint, isNamed) in [
      ("http://s3.example.com", true), ("http://127.evil.example:9000", true), ("http://127.0.0.1:9000", false),
      ("http://[::1]:9000", false), ("https://s3.example.com", false), ("", false),
    ] {
      settings.s3.endpoint = endpoint
      #expect(settings.dangers().contains { $0.message.hasPrefix("s3.endpoint") } == isNamed, "\(endpoint)")
    }
    settings = ServerSettings()
    settings.mail.tls = .off
    for (server, isNamed) in [
      ("smtp://mail.example.com", true), ("smtp://127.evil.example", true), ("smtp://127.0.0.1", false),
      ("smtp://[::1]", false), ("smtps://mail.example.com", false), ("", false),
    ] {
      settings.mail.server = server
      #expect(settings.dangers().contains { $0.message.hasPrefix("mail.tls") } == isNamed, "\(server)")
    }
  }

  @Test("a host name that only begins like a loopback address counts as another machine")
  func spelling() {
    #expect(SMTPEndpoint("smtp://127.evil.example", .auto)?.security == .startTLS)
    #expect(SMTPEndpoint("smtp://[::ffff:127.0.0.1]", .auto)?.security == SMTPEndpoint.Security.none)
    var settings = ServerSettings()
    settings.providers.kakao.url = "http://127.evil.example"
    settings.providers.kakao.app = 17
    #expect(settings.problems().contains { $0.hasPrefix("kakao.url") && $0.contains("https://") })
    settings = ServerSettings()
    (settings.isDevelopment, settings.host) = (true, "127.evil.example")
    #expect(settings.problems().contains { $0.contains("--lan") })
    settings.host = "::1"
    #expect(settings.problems() == [])
  }

  private static func answer(_ world: World, _ method: HTTPRequest.Method, _ path: String) async throws -> (
    Int, String?
  ) {
    let head = HTTPRequest(method: method, scheme: "http", authority: "evil.example", path: path)
    let responder = RedirectResponder(
      service: world.server.service, start: try #require(world.server.listeners).clients, certificates: nil)
    let response = try await responder.respond(to: Request(head: head, body: .init(buffer: .init())))
    return (response.status.code, response.headers[.location])
  }

  @Test("the listener for plain HTTP redirects GET of pages, to the host of public.url; it refuses all else")
  func redirects() async throws {
    for (url, place) in [
      ("https://chat.example.com", "https://chat.example.com"),
      ("https://chat.example.com:8443", "https://chat.example.com:8443"),
      ("https://[2001:db8::1]", "https://[2001:db8::1]"),
    ] {
      var settings = World.settings(\.publicURL, url)
      settings.web.chat = false
      try await World.run(.sqlite, settings: settings) { (world) async throws in
        for path in ["/password", "/invite/abc?x=y", "/confirm/abc"] {
          #expect(try await Self.answer(world, .get, path) == (308, place + path))
          #expect(try await Self.answer(world, .head, path) == (308, place + path))
          #expect(try await Self.answer(world, .post, path) == (403, nil))
        }
        for path in ["/", "/livez", "/v1/users/me", "/socket.io/?EIO=4", "/password/a/b", "/passwords"] {
          #expect(try await Self.answer(world, .get, path) == (403, nil), "\(path)")
        }
      }
    }
    try await World.run(.sqlite) { (world) async throws in
      #expect(try await Self.answer(world, .get, "/password") == (403, nil))
    }
    let chat = World.settings(\.publicURL, "https://chat.example.com")
    try await World.run(.sqlite, settings: chat) { (world) async throws in
      #expect(try await Self.answer(world, .get, "/") == (308, "https://chat.example.com/"), "the chat for browsers")
      #expect(try await Self.answer(world, .get, "/chat.js") == (403, nil))
    }
    var settings = ServerSettings()
    settings.tls.redirectPort = 80
    #expect(settings.dangers().contains { $0.message.hasPrefix("tls.redirect.port") })
  }
}
