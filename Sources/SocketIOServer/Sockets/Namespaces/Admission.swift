import Logging
import SocketIOProtocol

/// A client's request to join a namespace.
public struct ConnectRequest: Sendable {
  public let namespace: String
  /// The client's auth payload, a JSON object; empty if there is none.
  public let auth: [UInt8]
  public let handshake: Handshake
  /// The `Origin` of the session's latest request that had one. Web pages send none when they open a session of their own origin by
  /// polling, but send it with the request that carries the CONNECT.
  public let origin: String?
}

/// The decision about a `ConnectRequest`.
public enum Admission: Sendable {
  /// The client joins, and its socket has this data.
  case accept(SocketData = SocketData())
  /// The client gets a CONNECT_ERROR with this message, and with `data` if it is not empty: one JSON value.
  case refuse(message: String, data: [UInt8] = [])
}

/// The error by which a middleware refuses a client.
public struct ConnectRefusal: Error, Sendable {
  public var message: String
  /// One JSON value that the client receives with the message; empty for none.
  public var data: [UInt8]

  public init(message: String, data: [UInt8] = []) {
    self.message = message
    self.data = data
  }
}

extension NamespaceHandlers {
  /// Runs the middleware, then `admit`. `nil` if the task is cancelled because the client has left: then no further step runs, and errors
  /// are ignored.
  func decide(_ request: ConnectRequest, _ core: ServerCore) async -> Admission? {
    var data = SocketData()
    for step in middleware {
      guard !Task.isCancelled else { return nil }
      do {
        try await step(request, &data)
      } catch let refusal as ConnectRefusal {
        return .refuse(message: refusal.message, data: refusal.data)
      } catch {
        guard !Task.isCancelled else { return nil }
        core.advise(
          .warning, "A middleware failed, and the client was refused",
          metadata: ["namespace": "\(LogText(request.namespace))", "error": "\(LogText("\(error)"))"])
        return .refuse(message: "Internal error")
      }
    }
    guard !Task.isCancelled else { return nil }
    switch await admit?(request) ?? .accept() {
    case .accept(let added):
      data.merge(added)
      return .accept(data)
    case .refuse(let message, let data):
      return .refuse(message: message, data: data)
    }
  }
}
