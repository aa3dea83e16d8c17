import Foundation
import MadangAPI
import SocketIOSupport
import Support
import Testing

@Suite("--ca-file", .timeLimit(.minutes(5)))
struct CommandLineTrustTests {
  @Test("every command that calls a server takes an authority of its own, by an option or a variable")
  func trust() async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "madang-trust-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    func file(_ name: String, _ pem: [UInt8]) throws -> String {
      let file = folder.appending(path: name)
      try Data(pem).write(to: file)
      return file.path
    }
    let ca = try file("ca.pem", Certificates.ca)
    let environment = [
      "MADANG_TLS_CERT": try file("server.pem", Certificates.server),
      "MADANG_TLS_KEY": try file("server.key", Certificates.serverKey),
    ]
    try await TestServer.run(environment: environment) { server in
      let commands = [
        ["signup", "mina@example.com", "--nickname", "Mina", "--password-stdin"], ["whoami"],
        ["dev", "clock", "show", "--url", server.url],
        ["conformance", server.url, "--dev", "--only", "sockets.open.web-socket", "--results", "/dev/null"],
      ]
      let mina = Shell("mina", at: server)
      // Without a session, 'whoami' calls nothing.
      for command in commands where command != ["whoami"] {
        let outcome = try await mina.run(command, input: "Passw0rd!\n")
        #expect(outcome.status != 0, "\(command)")
        #expect(outcome.errors.joined().contains("name its authority with --ca-file"), "\(outcome.errors)")
      }
      for command in commands {
        let outcome = try await mina.run(command + ["--ca-file", ca], input: "Passw0rd!\n")
        #expect(outcome.status == 0, "\(command) \(outcome.errors)")
      }
      let trusting = Shell("mina", at: server, environment: ["MADANG_CA_FILE": ca])
      #expect(try await trusting.run("whoami").status == 0)
      for (file, words) in [
        ("/nowhere.pem", "cannot be read"), (folder.appending(path: "server.key").path, "no certificates"),
      ] {
        let outcome = try await mina.run("whoami", "--ca-file", file)
        #expect(outcome.status == 1 && outcome.errors.first?.hasPrefix("madang: --ca-file: \(file) ") == true)
        #expect(outcome.errors.first?.contains(words) == true)
      }
    }
  }
}
