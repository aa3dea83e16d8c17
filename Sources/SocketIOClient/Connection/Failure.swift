import AsyncHTTPClient
import Foundation
import NIOCore
import NIOHTTP1
import NIOPosix
import NIOSSL
public import SocketIOProtocol

extension SocketIOClient {
  /// Why there is no connection. The description names the cause, and the cure if there is one.
  public enum Failure: Error, Hashable, Sendable {
    /// Nothing answers at the server's address. Holds the transport and the cause.
    case unreachable(EngineTransport, String)
    /// The proxy refused a tunnel to the server.
    case proxy(String)
    /// The TLS handshake failed: no trusted authority certifies the server, its key is not pinned, or it rejects this client.
    case untrusted(String)
    /// The server did not open a session within `connectTimeout`.
    case timedOut
    /// The server refused, with an HTTP status or over the WebSocket, and an Engine.IO code if it gave one.
    case refused(status: Int?, code: Int?, message: String)
    /// The server does not support this client's revision of the protocol.
    case versionMismatch(String)
    /// The answer did not come from an Engine.IO server.
    case notSocketIO(String)
    /// An open connection ended.
    case lost(DisconnectReason)
    /// The client was closed, or its task cancelled.
    case closed
  }
}

extension SocketIOClient.Failure: CustomStringConvertible {
  public var description: String {
    switch self {
    case .unreachable(let transport, let reason): "the server cannot be reached over \(transport.rawValue): \(reason)"
    case .proxy(let reason): "the proxy opens no tunnel: \(reason)"
    case .untrusted(let reason): "there is no safe connection to the server: \(reason)"
    case .timedOut: "the server did not answer in time"
    case .refused(let status, _, let message):
      "the server refused the connection: \(message)" + (status.map { " (HTTP \($0))" } ?? "")
    case .versionMismatch(let message): "the server speaks another version of the protocol: \(message)"
    case .notSocketIO(let reason): "no Socket.IO server answers at this address; check the path. \(reason)"
    case .lost(let reason): reason.rawValue
    case .closed: "the client was closed"
    }
  }
}

extension SocketIOClient.Failure {
  /// Interprets an HTTP refusal.
  init(status: Int, body: [UInt8]) {
    if let explained = Self(explanation: body, status: status) {
      self = explained
    } else if status < 400 || status == 404 {
      self = .notSocketIO("HTTP \(status)")
    } else {
      self = .refused(status: status, code: nil, message: "no reason given")
    }
  }

  /// Interprets a refusal in the form of a JSON object; `nil` for anything else.
  init?(explanation json: [UInt8], status: Int?) {
    guard let members = JSONScanner.members(ofObject: json),
      let message = members.last(where: { $0.key == "message" }).flatMap({ JSONText.string(json[$0.value]) })
    else { return nil }
    let code = members.last { $0.key == "code" }.flatMap { JSONText.integer(json[$0.value]) }
    if code == EngineRefusal.unsupportedProtocolVersion.rawValue {
      self = .versionMismatch(message)
    } else {
      self = .refused(status: status, code: code, message: message)
    }
  }

  /// Interprets an error while opening a connection.
  init(opening error: any Error, over transport: EngineTransport) {
    switch error {
    case let failure as Self: self = failure
    case is CancellationError: self = .closed
    case let error as NIOConnectionError: self = Self(error, over: transport)
    case let error as IOError: self = .unreachable(transport, Self.text(errno: error.errnoCode))
    case ChannelError.connectTimeout: self = .timedOut
    case let error as NIOSSLError: self = .untrusted("\(error)")
    case let error as NIOSSLExtraError: self = .untrusted("\(error)")
    case let error as BoringSSLError: self = .untrusted("\(error)")
    case is NIOHTTPClientUpgradeError: self = .notSocketIO("its answer opens no WebSocket")
    default: self = .unreachable(transport, "\(error)")
    }
  }

  /// Interprets an error of a request.
  init(polling error: HTTPClientError) {
    switch error {
    case .cancelled: self = .closed
    case .deadlineExceeded, .connectTimeout, .readTimeout, .tlsHandshakeTimeout: self = .timedOut
    case .proxyAuthenticationRequired: self.init(proxyStatus: 407)
    case .invalidProxyResponse: self = .proxy("its answer is not HTTP, or not status 200")
    case .httpProxyHandshakeTimeout: self = .proxy("it did not answer in time")
    default: self = .unreachable(.polling, error.shortDescription)
    }
  }

  init(proxyStatus code: UInt) {
    self = .proxy(code == 407 ? "it asks for a name and a password (HTTP 407)" : "it answers HTTP \(code)")
  }

  /// The failure of a connection to a proxy.
  var ofProxy: Self {
    if case .unreachable(_, let reason) = self { .proxy("it cannot be reached: \(reason)") } else { self }
  }

  private init(_ error: NIOConnectionError, over transport: EngineTransport) {
    if let error = error.connectionErrors.first?.error {
      self.init(opening: error, over: transport)
    } else {
      self = .unreachable(transport, "there is no host \(error.host)")
    }
  }

  private static func text(errno code: CInt) -> String {
    String(cString: strerror(code)).lowercased()
  }

  /// Whether another transport may succeed.
  var mayDependOnTransport: Bool {
    switch self {
    case .timedOut, .refused, .notSocketIO: true
    case .unreachable, .proxy, .untrusted, .versionMismatch, .lost, .closed: false
    }
  }

  /// The reason to report for namespaces of a lost connection.
  var reason: DisconnectReason {
    switch self {
    case .lost(let reason): reason
    case .closed: .forcedClose
    case .unreachable, .proxy, .untrusted, .timedOut, .refused, .versionMismatch, .notSocketIO: .transportError
    }
  }
}
