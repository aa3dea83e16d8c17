import Foundation
import NIOCore
import NIOHTTP1
import NIOPosix
public import SocketIOProtocol

extension SocketIOClient {
  /// Why there is no connection. Its description names the cause, and the cure where there is one.
  public enum Failure: Error, Hashable, Sendable {
    /// Nothing answers at the server's address.
    case unreachable(String)
    /// The server did not open a session within `connectTimeout`.
    case timedOut
    /// The server refused, with an HTTP status or over the WebSocket, and an Engine.IO code if it gave one.
    case refused(status: Int?, code: Int?, message: String)
    /// The server does not speak this client's revision of the protocol.
    case versionMismatch(String)
    /// Something else than an Engine.IO server answered.
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
    case .unreachable(let reason): "the server cannot be reached: \(reason)"
    case .timedOut: "the server did not answer in time"
    case .refused(let status, _, let message):
      "the server refused the connection: \(message)" + (status.map { " (HTTP \($0))" } ?? "")
    case .versionMismatch(let message): "the server speaks another version of the protocol: \(message)"
    case .notSocketIO(let reason): "no Socket.IO server answers here, is the path right? \(reason)"
    case .lost(let reason): reason.rawValue
    case .closed: "the client was closed"
    }
  }
}

extension SocketIOClient.Failure {
  /// What a refusal over HTTP means.
  init(status: Int, body: [UInt8]) {
    if let explained = Self(explanation: body, status: status) {
      self = explained
    } else if status < 400 || status == 404 {
      self = .notSocketIO("HTTP \(status)")
    } else {
      self = .refused(status: status, code: nil, message: "no reason given")
    }
  }

  /// What a refusal as a JSON object means; `nil` for anything else.
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

  /// What an error while opening a connection means.
  init(opening error: any Error) {
    switch error {
    case let failure as Self: self = failure
    case is CancellationError: self = .closed
    case let error as NIOConnectionError: self = Self(error)
    case let error as IOError: self = .unreachable(Self.text(errno: error.errnoCode))
    case ChannelError.connectTimeout: self = .timedOut
    case is NIOHTTPClientUpgradeError: self = .notSocketIO("its answer opens no WebSocket")
    default: self = .unreachable("\(error)")
    }
  }

  private init(_ error: NIOConnectionError) {
    if let error = error.connectionErrors.first?.error {
      self.init(opening: error)
    } else {
      self = .unreachable("there is no host \(error.host)")
    }
  }

  private static func text(errno code: CInt) -> String {
    String(cString: strerror(code)).lowercased()
  }

  /// Whether another transport may fare better.
  var mayDependOnTransport: Bool {
    switch self {
    case .timedOut, .refused, .notSocketIO: true
    case .unreachable, .versionMismatch, .lost, .closed: false
    }
  }

  /// Why the namespaces of a lost connection were left.
  var reason: DisconnectReason {
    switch self {
    case .lost(let reason): reason
    case .closed: .forcedClose
    case .unreachable, .timedOut, .refused, .versionMismatch, .notSocketIO: .transportError
    }
  }
}
