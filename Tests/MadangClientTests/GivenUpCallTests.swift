import AsyncHTTPClient
import MadangAPI
import NIOCore
import NIOSSL
import Testing

@testable import MadangClient

@Suite("Abandoned calls", .timeLimit(.minutes(5)))
struct GivenUpCallTests {
  @Test("nothing more of a call is sent after it was abandoned", arguments: [false, true])
  func unsentBytes(isSecure: Bool) async throws {
    let server = try await DeafServer.start(tls: isSecure ? try Self.tls() : nil)
    var configuration = MadangClient.Configuration(server: server.url, apiKey: "none")
    configuration.callTimeout = .seconds(15)
    var settings = ConnectionSettings.make(configuration)
    // No authority has signed the certificate.
    settings.tlsConfiguration?.certificateVerification = .none
    let transport = Transport(configuration, settings: settings)
    let text = String(repeating: "a", count: 1 << 20)
    let endpoint = Edition2024_10.postToChannel
    let call = Call(endpoint, endpoint.path("w1", "c1"), body: .fields([(.content, text)]))
    let failure = await #expect(throws: MadangError.self) { try await transport.answer(to: call, token: "token") }
    #expect(failure?.mayHaveSucceeded == true)
    let end = try await server.ended(within: .seconds(20))
    try await transport.close()
    try await server.close()
    #expect(end?.wasReset == true)
    #expect(try #require(end).count < text.utf8.count)
  }

  private static func tls() throws -> NIOSSLContext {
    let certificate = try NIOSSLCertificate(bytes: Array(certificate.utf8), format: .pem)
    let key = try NIOSSLPrivateKey(bytes: Array(key.utf8), format: .pem)
    return try NIOSSLContext(
      configuration: .makeServerConfiguration(
        certificateChain: [.certificate(certificate)], privateKey: .privateKey(key)))
  }

  /// A self-signed certificate for this test.
  private static let certificate = """
    -----BEGIN CERTIFICATE-----
    MIIBmzCCAUGgAwIBAgIUG2tqFUJ5+MKDq67zfwGlxKkFWWowCgYIKoZIzj0EAwIw
    FDESMBAGA1UEAwwJbG9jYWxob3N0MCAXDTI2MTEyMjExMDI1MFoYDzIxMjYxMDI5
    MTEwMjUwWjAUMRIwEAYDVQQDDAlsb2NhbGhvc3QwWTATBgcqhkjOPQIBBggqhkjO
    PQMBBwNCAATnWMlaS118OTA7UoSihSiKfHmzBkpbx4pf/UkGxyIh5M/sCDEKwgUl
    1vFUekVr3fejSkfcnIOTxwiqmluldvCxo28wbTAdBgNVHQ4EFgQUUt6XU8Rmex2n
    ML/X+ItjK4OATZswHwYDVR0jBBgwFoAUUt6XU8Rmex2nML/X+ItjK4OATZswDwYD
    VR0TAQH/BAUwAwEB/zAaBgNVHREEEzARgglsb2NhbGhvc3SHBH8AAAEwCgYIKoZI
    zj0EAwIDSAAwRQIhAP/2TUW2Efjxb9GHn+lEPqgo0FqjDL91vRZu9WAf9b3TAiAy
    l2AYNeR8LGG7MNx0GWAWBseZCfpYxA/Qd0lxMtHyZg==
    -----END CERTIFICATE-----
    """
  private static let key = """
    -----BEGIN PRIVATE KEY-----
    MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgbuWrujJ2QkyzMoms
    LhFYSFBHyz6No9MO3O+T0tiPywmhRANCAATnWMlaS118OTA7UoSihSiKfHmzBkpb
    x4pf/UkGxyIh5M/sCDEKwgUl1vFUekVr3fejSkfcnIOTxwiqmluldvCx
    -----END PRIVATE KEY-----
    """
}
