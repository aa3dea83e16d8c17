import ArgumentParser
import Foundation
import Logging
import MadangCore
import MadangDevelopment
import MadangOperations
import MadangServer
import MadangWeb
import ServiceLifecycle
import UnixSignals

struct Serve: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "serve", abstract: "Run the server.", usage: "madang serve [options]",
    discussion: """
      Without --database-url all data is under --data: the database, uploaded files and the first API keys.
      When it accepts connections it prints one line on standard output: madang listening on http://HOST:PORT
      Everything else goes to standard error. SIGTERM and SIGINT let requests finish; a second signal stops at once. At SIGHUP \
      it reads its settings again and applies the live ones ('madang admin settings' lists them), and, with TLS, \
      its certificate. On a terminal without TLS, SIGHUP ends it as well.

      Every setting can also come from the environment (MADANG_PORT=8080) or a JSON file (--config), in this order:
      command line, environment, file, default. --print-config lists them all.
      """)

  @Option(help: ArgumentHelp("The address to listen on (default: 127.0.0.1).", valueName: "address"))
  var host: String?

  @Option(help: "The port to listen on; 0 takes a free one (default: 8080).")
  var port: Int?

  @Option(
    help: ArgumentHelp("Use TLS with this certificate and its chain, in PEM.", valueName: "file"),
    completion: .file())
  var tlsCert: String?

  @Option(help: ArgumentHelp("The certificate's private key, in PEM.", valueName: "file"), completion: .file())
  var tlsKey: String?

  @Option(help: ArgumentHelp("The data directory (default: ./madang-data).", valueName: "dir"))
  var data: String?

  @Option(help: ArgumentHelp("Use PostgreSQL: postgres://user:pass@host/db", valueName: "url"))
  var databaseURL: String?

  @Option(help: ArgumentHelp("This server's name, if several run on one database.", valueName: "name"))
  var node: String?

  @Option(help: ArgumentHelp("Keep files in a bucket: s3://bucket or s3://bucket/prefix", valueName: "url"))
  var files: String?

  @Option(
    help: ArgumentHelp("Days that files without a database row stay in the trash (default: 30).", valueName: "days"))
  var trashDays: String?

  @Option(help: ArgumentHelp("Serve this edition only (default: both).", valueName: "2024-10|2024-01"))
  var edition: String?

  @Flag(help: "Development mode: development keys and calls, explanations. Loopback only.")
  var dev = false

  @Flag(help: "With --dev: also serve devices in the local network, with separate API keys and a token.")
  var lan = false

  @Option(help: ArgumentHelp("Read settings from a JSON file.", valueName: "file"))
  var config: String?

  @Flag(help: "Print the settings and where each comes from, secrets hidden, and exit.")
  var printConfig = false

  /// The settings that the command line gives.
  private var flags: [String: String] {
    var flags: [String: String] = [:]
    flags["host"] = host
    flags["port"] = port.map(String.init)
    flags["tls.cert"] = tlsCert
    flags["tls.key"] = tlsKey
    flags["data"] = data
    flags["database.url"] = databaseURL
    flags["node"] = node
    flags["files.home"] = files
    flags["files.trash.days"] = trashDays
    flags["edition"] = edition
    if dev { flags["dev"] = "true" }
    if lan { flags["dev.lan"] = "true" }
    return flags
  }

  func run() async throws {
    // Files that are written here (database, files, secrets) are readable by this user only.
    umask(0o077)
    // A server starts only with the file that it was given.
    let file = try printConfig ? config ?? PackagedSettings.find(flags: flags) : config
    let loaded = try await LoadedSettings(flags: flags, file: file)
    if printConfig { return print(loaded.listing) }
    let log = ServerLog(loaded)
    defer { log.flush() }
    log.warn(of: loaded)
    var settings = loaded.settings
    settings.version = Version.text
    settings.limits.connections.total = OpenFiles.connections(
      wanted: settings.limits.connections.total, filesEach: settings.tls.isUsed ? 3 : 1, log.logger,
      at: settings.isDevelopment ? .debug : .warning)
    // Installed before anything slow: until then the signal ends the process. It also arrives when a terminal is closed.
    let takesHangups = settings.tls.isUsed || isatty(STDIN_FILENO) == 0
    let hangups = takesHangups ? await UnixSignalsSequence(trapping: .sighup) : nil
    let address = loaded.isForLocalNetwork ? try LocalNetwork.address(of: settings.host) : nil
    let reachable = address ?? localURLHost(settings.host)
    let server: MadangServer
    var development: DevelopmentServer?
    do {
      if settings.isDevelopment && loaded.hasTestKit {
        let made = try await DevelopmentServer(settings, address: reachable, logger: log.logger)
        (server, development) = (made.server, made)
      } else if settings.isDevelopment {
        server = try await makeServerWithStandIns(settings, logger: log.logger)
      } else {
        server = try await buildServer(settings, isAlone: true, annex: webPages, logger: log.logger)
      }
    } catch {
      throw Complaint(error)
    }
    let announcing = Task { try await Self.announce(server, loaded.settings, reachable: reachable, network: address) }
    let stopping = Task { [development] in await exitOnSecondSignal(development, log) }
    let reloading = Task { [flags] in
      guard let hangups else { return }
      var settings = SettingsReload(loaded, flags: flags, file: config, server: server, log: log)
      for await _ in hangups {
        server.reloadCertificate()
        // For the local network, reloading would create new keys and a new token.
        if !loaded.isForLocalNetwork { await settings.run() }
      }
    }
    defer {
      reloading.cancel()
      announcing.cancel()
      stopping.cancel()
    }
    try await Self.runUntilStopped(
      ServerService(server: server, development: development, log: log, limit: settings.shutdownTimeout), log)
    await development?.end()
  }

  /// Reports that the server accepts connections: to systemd, and on standard output.
  /// - Parameters:
  ///   - reachable: The host by which clients reach it.
  ///   - network: The address for devices in the local network, if it is for them.
  private static func announce(
    _ server: MadangServer, _ settings: ServerSettings, reachable: String, network: String?
  ) async throws {
    let port = try await server.port
    let scheme = settings.tls.isUsed ? "https" : "http"
    if settings.isDevelopment { server.assume(publicURL: "\(scheme)://\(reachable):\(port)") }
    SystemdNotice.ready.send()
    // On its own thread, so that only this thread waits if the stream is a full pipe.
    Thread.detachNewThread {
      // The server runs even if the stream is closed.
      try? Terminal.line("madang listening on \(settings.place(port: port))")
      if let network { LocalNetwork.tell("\(scheme)://\(network):\(port)", settings) }
    }
  }

  private static func runUntilStopped(_ service: ServerService, _ log: ServerLog) async throws {
    var configuration = ServiceGroupConfiguration(
      services: [
        .init(service: service, successTerminationBehavior: .gracefullyShutdownGroup, serviceName: "server")
      ],
      gracefulShutdownSignals: [.sigterm, .sigint], logger: log.logger)
    configuration.maximumGracefulShutdownDuration = service.limit
    do { try await ServiceGroup(configuration: configuration).run() } catch is CancellationError {
      // Requests in progress took longer than the stop may take; they were cut off.
    } catch {
      throw Complaint(error)
    }
  }
}

/// The first signal starts a graceful stop; the second ends the process at once.
private func exitOnSecondSignal(_ development: DevelopmentServer?, _ log: ServerLog) async {
  var seen = 0
  for await _ in await UnixSignalsSequence(trapping: .sigterm, .sigint) {
    seen += 1
    guard seen > 1 else { continue }
    development?.removeFiles()
    log.flush(within: .milliseconds(100))
    exit(130)
  }
}

private struct ServerService: Service, Undescribed {
  let server: MadangServer
  let development: DevelopmentServer?
  let log: ServerLog
  /// How long a stop may take. The process ends a second later in any case, even if a client never finishes its request. Acknowledged data
  /// is on disk and is not lost.
  let limit: Duration

  func run() async throws {
    try await withGracefulShutdownHandler {
      if let development { try await development.run() } else { try await server.run() }
    } onGracefulShutdown: {
      SystemdNotice.stopping.send()
      // Unstructured, because it must outlive the service group if that does not end.
      Task { [development, log, limit] in
        try await Task.sleep(for: limit + .seconds(1))
        development?.removeFiles()
        log.flush()
        exit(0)
      }
    }
  }
}

/// An error as plain words for the operator, without nested types.
struct Complaint: Error, CustomStringConvertible {
  let description: String

  init(_ error: any Error) {
    description = (error as? SetupError)?.description ?? String(reflecting: error)
  }
}
