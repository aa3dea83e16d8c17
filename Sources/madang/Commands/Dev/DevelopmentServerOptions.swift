import ArgumentParser
import AsyncHTTPClient
import Foundation
import MadangAPI
import MadangClient
import MadangDevelopment
import MadangOperations
import NIOCore
import NIOHTTP1
import Synchronization

/// The development server that a command calls.
struct DevelopmentServerOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp("The server in development mode (default: MADANG_DEV_URL or port 8080 here).", valueName: "url"))
  var url: String?

  @Option(
    help: ArgumentHelp("The token of a server on another machine (default: MADANG_DEV_TOKEN).", valueName: "token"))
  var token: String?

  @OptionGroup var trust: CAFileOption

  enum Method: String {
    case get = "GET"
    case post = "POST"
    case delete = "DELETE"
  }

  /// A client that does not retry connecting, so that a missing server is reported at once.
  private static let client = Mutex<HTTPClient?>(nil)

  /// One for the whole command.
  private func client() throws -> HTTPClient {
    let authorities = try trust.authorities
    return Self.client.withLock { made in
      if let made { return made }
      var settings = HTTPClient.Configuration()
      settings.connectionPool.retryConnectionEstablishment = false
      authorities?.add(to: &settings)
      let client = HTTPClient(eventLoopGroup: HTTPClient.defaultEventLoopGroup, configuration: settings)
      made = client
      return client
    }
  }

  private static let standard = "http://127.0.0.1:8080"
  /// Largest answer that is read as a whole, in bytes.
  private static let maxAnswer = 64 << 20
  /// How long an answer may take, and how long beyond the time that the server is asked to wait.
  private static let (patience, patienceAfterWait) = (Duration.seconds(60), Duration.seconds(15))

  private func server() throws -> String {
    let text = url ?? Environment.current.devServer ?? Self.standard
    if let server = text.firstMatch(of: /^(.*[^\/])\/_dev(\/.*)?$/)?.1 {
      throw ValidationError(
        "'\(text)' is more than the URL of a server: give \(server), and the token behind /_dev/, if there is one, with --token."
      )
    }
    return try ConnectionOptions.normalised(text)
  }

  /// The request to a server. Names under `localhost` are resolved here, because some systems do not know them.
  private static func request(_ server: String, _ target: String) -> HTTPClientRequest {
    guard let parts = server.firstMatch(of: /^http:\/\/([^:]*\.localhost)(:[0-9]+)?$/.ignoresCase()) else {
      return HTTPClientRequest(url: server + target)
    }
    let port = parts.2 ?? ""
    var request = HTTPClientRequest(url: "http://127.0.0.1\(port)\(target)")
    request.headers.add(name: "Host", value: "\(parts.1)\(port)")
    return request
  }

  /// Makes a call under `/_dev`, and returns the server's answer.
  ///
  /// - Parameters:
  ///   - path: The path after `/_dev`; its parts are encoded here.
  ///   - query: Parameters with a value.
  ///   - body: Sent with POST.
  ///   - time: How long the server is asked to wait before it answers, if no parameter `wait` says so.
  ///   - mistaken: The exit status if the server reports that the call is wrong.
  /// - Throws: ``Failure``.
  func call(
    _ method: Method, _ path: [String], query: [(String, String?)] = [], body: Data? = nil,
    waiting time: Duration = .zero, mistaken: ExitStatus = .failed
  ) async throws -> Data {
    var answer = Data()
    try await call(method, path, query: query, body: body, waiting: time, mistaken: mistaken) { piece in
      guard answer.count + piece.readableBytes <= Self.maxAnswer else {
        throw Failure("the server's answer has more than \(Self.maxAnswer) bytes")
      }
      answer += piece.readableBytesView
    }
    return answer
  }

  /// Makes a call under `/_dev`, and passes its answer on piece by piece.
  func call(
    _ method: Method, _ path: [String], query: [(String, String?)] = [], body: Data? = nil,
    waiting time: Duration = .zero, mistaken: ExitStatus = .failed, _ sink: (ByteBuffer) throws -> Void
  ) async throws {
    let server = try server()
    let fields = query.compactMap { name, value in value.map { "\(name)=\(percentEncoded($0))" } }
    var request = Self.request(
      server,
      "/_dev" + path.map { "/" + percentEncoded($0) }.joined()
        + (fields.isEmpty ? "" : "?" + fields.joined(separator: "&")))
    request.method = HTTPMethod(rawValue: method.rawValue)
    let token = token ?? Environment.current.devToken
    if let token {
      request.headers.add(name: HeaderName.authorization, value: "Bearer \(token)")
    }
    if let body {
      request.headers.add(name: "Content-Type", value: "application/json")
      request.body = .bytes(ByteBuffer(bytes: body))
    }
    let client = try client()
    let wait = query.last { $0.0 == "wait" }?.1.flatMap { try? WaitTime.read($0, of: "wait") } ?? time
    let patience = wait > .zero ? wait + Self.patienceAfterWait : Self.patience
    do {
      let response = try await client.execute(request, timeout: TimeAmount(patience))
      // An expectation that is not met is answered with 409.
      guard response.status == .ok || response.status == .conflict else {
        let body = try await response.body.collect(upTo: 1 << 20)
        throw Self.refusal(
          response.status, body, by: server, isOfWorld: path.first == "worlds", hasToken: token != nil,
          mistaken: mistaken)
      }
      for try await piece in response.body { try sink(piece) }
    } catch let failure as Failure {
      throw failure
    } catch let error as HTTPClientError where error == .deadlineExceeded {
      throw Failure("\(server) did not answer within \(patience.components.seconds) s; it may hang", .unavailable)
    } catch {
      throw Failure(
        "\(server) cannot be reached: \(NetworkProblem.words(of: error)); start one with 'madang serve --dev', or name it with --url or MADANG_DEV_URL",
        .unavailable)
    }
  }

  func call<Answer: Decodable>(
    _ type: Answer.Type = Answer.self, _ method: Method, _ path: [String], query: [(String, String?)] = [],
    body: Data? = nil, waiting time: Duration = .zero, mistaken: ExitStatus = .failed
  ) async throws -> Answer {
    let answer = try await call(method, path, query: query, body: body, waiting: time, mistaken: mistaken)
    do { return try JSONDecoder().decode(type, from: answer) } catch {
      throw Failure("the server's answer cannot be read: \(error); use the program of the same version as the server")
    }
  }

  private struct Refusal: Decodable { let error: String }

  /// Calls that the server names as a cure, and the commands that make them.
  private static let commands = [
    ("GET /_dev/worlds", "worlds list"), ("GET /_dev/people", "people list"), ("GET /_dev/faults", "faults list"),
    ("DELETE /_dev/faults/ID", "faults remove"),
  ]

  /// How errors begin that a forgotten `--world` may have caused.
  private static let absences = ["there is no person", "there is no workspace"]

  private static func refusal(
    _ status: HTTPResponseStatus, _ body: ByteBuffer, by server: String, isOfWorld: Bool, hasToken: Bool,
    mistaken: ExitStatus
  ) -> Failure {
    if let refusal = try? JSONDecoder().decode(Refusal.self, from: Data(body.readableBytesView)) {
      guard status != .forbidden else {
        return Failure(
          (hasToken
            ? "\(server) refuses this token; give the one that"
            : "\(server) asks programs of other machines for a token; give the one that")
            + " 'madang serve --dev --lan' shows there with --token or MADANG_DEV_TOKEN")
      }
      guard refusal.error != DevelopmentServer.isStopping else { return Failure(refusal.error, .unavailable) }
      var words = Self.commands.reduce(refusal.error) { $0.replacing($1.0, with: "'madang dev \($1.1)'") }
      if !isOfWorld, Self.absences.contains(where: words.hasPrefix) {
        words += "; the server itself was asked, --world names one of its worlds"
      }
      guard status.code < 500 else { return Failure("\(server) failed: \(words)") }
      return Failure(words, status == .badRequest ? mistaken : .failed)
    }
    guard status.code < 500 else {
      return Failure("\(server) failed (\(status.code)): its log says why")
    }
    return Failure(
      "\(server) does not know this call (\(status.code)): it is not in development mode, or this is the port of one world; "
        + "use the URL that 'madang serve --dev' prints")
  }
}

/// Options of a server, with the choice of a world in its process.
struct DevelopmentOptions: ParsableArguments {
  @OptionGroup var server: DevelopmentServerOptions
  @Option(help: ArgumentHelp("A world of the server, by its id or name.", valueName: "id"))
  var world: String?

  /// The path of a resource of the server, or of the chosen world.
  func path(_ parts: String...) -> [String] { (world.map { ["worlds", $0] } ?? []) + parts }
}

extension Output {
  /// Prints one object of a development call.
  func development(_ value: some Encodable, _ people: @autoclosure () -> [(String, String)]) throws {
    if json {
      try Terminal.json(DevelopmentJSON.encode(value))
    } else {
      try object(value, people())
    }
  }

  /// Prints several objects of development calls: one JSON line each, or a table.
  func developmentList<Value: Encodable>(_ values: [Value], _ columns: [Column<Value>], empty: String) throws {
    guard json else { return try list(values, columns, empty: empty) }
    for value in values { try Terminal.json(DevelopmentJSON.encode(value)) }
  }
}

/// The content of a file, or of standard input for `-`. Throws ``Failure``.
func textOfInput(_ path: String) throws -> String {
  do {
    if path == "-" {
      let bytes = try FileHandle.standardInput.readToEnd() ?? Data()
      guard let text = String(validating: bytes, as: UTF8.self) else { throw Failure("standard input is not UTF-8") }
      return text
    }
    var isDirectory: ObjCBool = false
    if FileManager.default.fileExists(atPath: path, isDirectory: &isDirectory), isDirectory.boolValue {
      throw Failure("\(path) is a directory; name a file")
    }
    return try String(contentsOf: URL(filePath: path), encoding: .utf8)
  } catch let failure as Failure {
    throw failure
  } catch {
    throw Failure("\(path) cannot be read: \(FileProblem.words(of: error))")
  }
}
