import Hummingbird
import MadangCore
import NIOCore
import SocketIOServer

/// By which a kit for tests of clients watches and disturbs a server in development mode. A server that runs for anybody has
/// none. A class: every request takes some of these, and a copy of all costs much.
package final class Instruments: Sendable {
  package typealias Develop =
    @Sendable (HTTPRequest.Method, ArraySlice<String>, Request, any NIOCore.Channel) async throws -> Response?

  /// Has the server answer a request, which may be changed.
  package typealias Answer = nonisolated(nonsending) @Sendable (Request) async throws -> Response

  /// Whether every request is answered as it would be without a kit: ``respond`` is not called then.
  package let isIdle: @Sendable () -> Bool
  /// Stands around each request that is not for `/_dev`: answers it, or has it answered. Whoever answers something else than the
  /// server would notes a fault before. To end the connection without an answer, close ``Exchange/channel`` and return anything.
  package let respond: nonisolated(nonsending) @Sendable (Exchange, Request, Answer) async throws -> Response
  /// Told of the response to each request that is not for `/_dev`, before its client gets it; may put another one in its place. Must
  /// not block. Returns false if something has to be looked up first: nothing is recorded then, and ``answeredAfterLookup`` is called.
  package let answered: @Sendable (Exchange, inout Response) -> Bool
  /// Called if ``answered`` has returned false. May put another response in its place.
  package let answeredAfterLookup: nonisolated(nonsending) @Sendable (Exchange, inout Response) async -> Void
  /// Told of each of these requests whose answering failed.
  package let unanswered: @Sendable (Exchange) -> Void
  package let packetInterceptor: SocketIOServer.PacketInterceptor
  /// Answers a call under `/_dev`: its method, the path behind `/_dev`, the request and the connection it came by. Nil for a
  /// path it does not know. A ``BadCall`` is answered with 400.
  package let develop: Develop
  /// Whether a connection may be made at this moment; it is closed at once if not. Called on an event loop.
  package let admitsConnection: @Sendable () -> Bool
  /// Which server of the process a request is for, by the host that it names.
  package let addressee: @Sendable (_ host: String?) -> Addressee<MadangServer>
  /// Told what happens besides. Must not block.
  package let observe: @Sendable (Occurrence) -> Void
  /// Called when the server begins to stop politely, which takes until all calls are answered. Must not block.
  package let stopping: @Sendable () -> Void
  /// Called before the server answers anything, and with nil once it has ended.
  package let attach: @Sendable (ServerControls?) -> Void
  /// Called with each chat that this server has committed, in the order of its room, on the database's thread: it must hand
  /// the chat on and return at once.
  package let posted: @Sendable (Chat) -> Void

  package init(
    isIdle: @escaping @Sendable () -> Bool,
    respond: nonisolated(nonsending) @escaping @Sendable (Exchange, Request, Answer) async throws -> Response,
    answered: @escaping @Sendable (Exchange, inout Response) -> Bool,
    answeredAfterLookup: nonisolated(nonsending) @escaping @Sendable (Exchange, inout Response) async -> Void,
    unanswered: @escaping @Sendable (Exchange) -> Void,
    packetInterceptor: SocketIOServer.PacketInterceptor,
    develop: @escaping Develop, admitsConnection: @escaping @Sendable () -> Bool,
    addressee: @escaping @Sendable (_ host: String?) -> Addressee<MadangServer>,
    observe: @escaping @Sendable (Occurrence) -> Void, stopping: @escaping @Sendable () -> Void,
    attach: @escaping @Sendable (ServerControls?) -> Void,
    posted: @escaping @Sendable (Chat) -> Void
  ) {
    self.isIdle = isIdle
    self.respond = respond
    self.answered = answered
    self.answeredAfterLookup = answeredAfterLookup
    self.unanswered = unanswered
    self.packetInterceptor = packetInterceptor
    self.develop = develop
    self.admitsConnection = admitsConnection
    self.addressee = addressee
    self.observe = observe
    self.stopping = stopping
    self.attach = attach
    self.posted = posted
  }
}

/// What a kit may do to the server it is in.
package struct ServerControls: Sendable {
  let socketIO: SocketIOServer
  let current: CurrentBackend

  /// Closes all connections without a word, as when the process is killed. Calls under way are carried out.
  package func dropConnections() async { await socketIO.dropConnections() }

  /// Whom a socket of a room belongs to, by the number of the account; nil where it was let in without one.
  package static func account(of data: SocketData) -> Int64? { data[AdmittedSockets.Reason.self]?.user }

  /// The e-mail of the account with this number.
  package func email(ofAccount number: Int64) async throws -> String? {
    try await current.answering { try await $0.madang.email(ofAccount: number) }
  }

  /// The number of the account with this e-mail.
  package func account(email: String) async throws -> Int64? {
    try await current.answering { try await $0.madang.accountNumber(email: email) }
  }
}
