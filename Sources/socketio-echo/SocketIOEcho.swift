import ArgumentParser
import Foundation
import Hummingbird
import Logging
import NIOPosix
import SocketIOPostgres
import SocketIOProtocol
import SocketIOServer

/// The application for the official Socket.IO suites, other clients and load tools.
@main
struct SocketIOEcho: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "socketio-echo", abstract: "The conformance application for SocketIOServer.")

  enum Mode: String, ExpressibleByArgument, CaseIterable {
    case engine
    case socket
    case rig
  }

  @Option(help: "The port on 127.0.0.1; 0 takes a free one.") var port = 3000
  @Option(help: "engine: bare Engine.IO echo. socket: the Socket.IO suite's application. rig: the wider one.")
  var mode = Mode.socket
  @Option(help: "The path; by default /engine.io/ in engine mode, else /socket.io/.") var path: String?
  @Flag(help: "Serve Engine.IO 3 clients too.") var eio3 = false
  @Option(help: "Milliseconds between pings.") var pingInterval: Int?
  @Option(help: "Milliseconds a ping may stay unanswered.") var pingTimeout: Int?
  @Option(help: "Milliseconds until a connection is cut whose close frame stays unanswered.") var closeTimeout: Int?
  @Option(help: "Milliseconds a session may stay without a namespace.") var connectTimeout: Int?
  @Option(help: "Milliseconds of silence behind the answer to CONNECT.") var connectPause: Int?
  @Flag(help: "Let lost Engine.IO 4 clients return to their sockets; so does RECOVERY=1 in the environment.")
  var recovery = false
  @Option(help: "Open /admin to the Socket.IO Admin UI, for the user admin with this password.")
  var adminPassword: String?
  @Option(help: "Form a cluster with other servers on this PostgreSQL URL.") var postgres: String?
  @Option(help: "The node that the ids of sessions begin with.") var node: String?
  @Flag(help: "Rig mode: send no welcome event.") var bare = false
  @Option(help: "Use TLS with this certificate chain, a PEM file.") var tlsCert: String?
  @Option(help: "The key for it.") var tlsKey: String?
  @Option(help: "Be a client of the server at this URL instead, and send back what it sends.") var client: String?
  @Flag(help: "Encode packets with MessagePack instead of JSON.") var msgpack = false
  @Flag(help: "Compress WebSocket messages from 1 KiB for clients that offer permessage-deflate.") var deflate = false

  func run() async throws {
    if let client { return try await EchoClient.run(at: client, parser) }
    var logger = Logger(label: "socketio-echo", factory: { StreamLogHandler.standardError(label: $0) })
    logger.logLevel = .warning
    let loops = MultiThreadedEventLoopGroup.singleton
    let server: SocketIOServer
    switch mode {
    case .engine:
      server = SocketIOServer(configuration: settings, eventLoopGroup: loops, logger: logger) { client, message in
        client.send(message)
      }
    case .socket:
      server = SocketIOServer(configuration: settings, eventLoopGroup: loops, logger: logger)
      SuiteApplication.install(on: server)
    case .rig:
      server = SocketIOServer(configuration: settings, eventLoopGroup: loops, logger: logger)
      RigApplication(server: server, isBare: bare).install()
    }
    if let adminPassword {
      var admin = SocketIOServer.Admin(username: "admin", password: adminPassword)
      admin.isReadOnly = false
      server.enableAdmin(admin)
    }
    var http = SocketIOServer.HTTPChannelConfiguration()
    http.respondsOnEventLoop = true
    http.idleTimeout = nil
    if let tlsCert, let tlsKey { http.tls = try .init(chainFile: tlsCert, keyFile: tlsKey) }
    let application = Application(
      responder: EchoResponder(server: server, hasRig: mode == .rig), server: server.httpServer(configuration: http),
      configuration: .init(address: .hostname("127.0.0.1", port: port), backlog: SocketIOServer.backlog),
      onServerRunning: { channel in
        let line = "socketio-echo listening on http://127.0.0.1:\(channel.localAddress?.port ?? 0)\n"
        FileHandle.standardOutput.write(Data(line.utf8))
      },
      eventLoopGroupProvider: .shared(loops), logger: logger)
    try await server.run(application, stopsOnSignals: true)
  }

  private var parser: SocketParser { msgpack ? .msgpack : .json }

  private var settings: SocketIOServer.Configuration {
    var settings = SocketIOServer.Configuration()
    settings.path = path ?? (mode == .engine ? "/engine.io/" : settings.path)
    settings.cors = .anyOrigin
    settings.allowEIO3 = eio3
    // The UI sends cookies, which browsers refuse if any origin is allowed.
    if adminPassword != nil { settings.cors = .origins(["https://admin.socket.io"], credentials: true) }
    if recovery || ProcessInfo.processInfo.environment["RECOVERY"] == "1" {
      settings.recovery = SocketIOServer.Recovery()
    }
    settings.adapter = postgres.map { PostgresAdapter(url: $0) }
    settings.node = node
    settings.parser = parser
    settings.perMessageDeflate = deflate ? SocketIOServer.PerMessageDeflate() : nil
    if mode != .rig {
      // The values that the official suites expect.
      settings.pingInterval = .milliseconds(300)
      settings.pingTimeout = .milliseconds(200)
      settings.connectTimeout = .milliseconds(1000)
    }
    if let pingInterval { settings.pingInterval = .milliseconds(pingInterval) }
    if let pingTimeout { settings.pingTimeout = .milliseconds(pingTimeout) }
    if let closeTimeout { settings.closeTimeout = .milliseconds(closeTimeout) }
    if let connectPause { settings.connectPause = .milliseconds(connectPause) }
    if let connectTimeout { settings.connectTimeout = .milliseconds(connectTimeout) }
    return settings
  }
}
