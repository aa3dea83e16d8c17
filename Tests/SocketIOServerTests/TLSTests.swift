import Foundation
import SocketIOClient
import SocketIOServer
import SocketIOSupport
import Testing

@Suite("TLS of the server's own", .timeLimit(.minutes(5)))
struct TLSTests {
  @Test(
    "a server with a certificate serves every transport over TLS", arguments: ClientMode.allCases, TestListener.allCases
  )
  func certificate(mode: ClientMode, listener: TestListener) async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let (chain, key) = (folder.appending(path: "chain.pem"), folder.appending(path: "key.pem"))
    try Data(Certificates.server).write(to: chain)
    try Data(Certificates.serverKey).write(to: key)
    var http = SocketIOServer.HTTPChannelConfiguration()
    http.tls = try .init(chainFile: chain.path(), keyFile: key.path())
    try await TestServer.with(http: http, by: listener) { (server) async throws in
      func change(_ configuration: inout SocketIOClient.Configuration) {
        configuration.tls.roots = .pem(Certificates.ca)
      }
      try await withClient(of: "https://127.0.0.1:\(server.port)", mode, change) { (client) async throws in
        try await client.connect()
        #expect(try await client.emit("echo", 7, acknowledgedWithin: .seconds(60), as: Int.self) == 7)
      }
    }
  }
}
