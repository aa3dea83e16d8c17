import Foundation
import HTTPTypes
import Hummingbird
import Logging
import MadangCore
import MadangOperations
import NIOCore

/// What the administrator's console asks of a request before it answers.
extension ReceivedRequest {
  package var madang: Madang { service.madang }
  /// The caller's address, for the audit log.
  package var address: String { client.text }

  /// Whether it may come from one of the networks.
  package func isFrom(_ networks: [IPNetwork]) -> Bool {
    guard isOfThisMachine else { return client.isWithin(networks) }
    let peer = connection.remoteAddress.flatMap { IPAddress($0) } ?? IPAddress(bytes: [127, 0, 0, 1])
    return networks.contains { $0.contains(peer) }
  }

  /// Whether nothing between the client and this server can be read on the way: TLS, or a program of this machine that calls it by a name
  /// of this machine. A proxy that changes the name of the host does not hide a page of another name.
  package var isProtected: Bool {
    isSecure || isOfThisMachine && (request.headers[.origin].map(Authority.isLocalPage) ?? true)
  }

  /// Whether the client calls the server by a name that leads to it alone, so that it is no page whose name was made to lead here.
  package var isCalledByOwnName: Bool {
    let called =
      ClientAddress.forwardedHost(
        request.headers, peer: connection.remoteAddress, trust: service.settings.peerTrust)
      ?? request.head.authority
    guard let authority = called.flatMap({ Authority($0) }) else { return false }
    guard !authority.isLocal, let own = PublicURL(service.madang.setting(\.publicURL)) else { return authority.isLocal }
    return own.host.lowercased() == authority.host.lowercased()
  }

  /// Counts a call for a session of the console, or for its address if it has none. Throws `E98` if there were too many.
  package func count(ofAdministrator session: Int64?) throws {
    try service.limits.calls.count(session.map { .administrator(session: $0) } ?? .address(client.networkHash))
  }

  /// Runs `body` when it is the turn of the caller's address.
  package func inTurn<Success: Sendable>(
    _ turns: ListTurns, _ body: @Sendable () async throws -> Success
  ) async throws -> Success {
    try await turns.run(client.networkHash, body)
  }

  /// What `find` finds by a token. Throws `E98` rather than look for it if the address has shown too many tokens of no session.
  package func found<Session>(_ find: () async throws -> Session?) async throws -> Session? {
    let unknown = CallLimits.Subject.refreshes(address: client.networkHash)
    try service.limits.calls.check(unknown)
    if let session = try await find() { return session }
    try service.limits.calls.count(unknown)
    return nil
  }

  /// Writes to the log that a sign-in was refused, for programs that shut addresses out.
  package func logRefusedSignIn() { service.reports.security.refusedAdministrator(at: client) }

  /// The bytes of a file, which are read as fast as the client takes them.
  package func content(of file: URL) async throws -> ResponseBody {
    let source = ApplicationRequestContextSource(channel: connection, logger: service.logger)
    return try await FileIO().loadFile(path: file.path, context: BasicRequestContext(source: source))
  }

  /// Writes an unexpected error to the log.
  package func logFailure(_ message: String, _ error: any Error, path: String) {
    service.reports.failures.write("\(message)", error, ["path": "\(path)"])
  }

  private var isOfThisMachine: Bool {
    let peer = connection.remoteAddress.flatMap { IPAddress($0) }
    return peer?.isLoopback ?? true && !ClientAddress.isForwarded(request.headers)
      && request.head.authority.flatMap { Authority($0) }?.isLocal ?? false
  }
}
