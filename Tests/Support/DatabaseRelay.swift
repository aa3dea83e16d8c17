import Foundation
import NIOCore
import NIOPosix
import Synchronization

/// A relay between a server and PostgreSQL that drops the answer to a COMMIT on request: the transaction is durable, but the server does
/// not know it. Then the connection breaks, or stays open and silent.
package final class DatabaseRelay: Sendable {
  private struct State {
    var marker: [UInt8]?
    var breaks = true
    var lost = 0
  }

  private let state = Mutex(State())

  private init() {}

  /// Runs the body with the URL of a relay to the server of `url`.
  package static func run<Result>(
    to url: String, _ body: (_ url: String, DatabaseRelay) async throws -> Result
  ) async throws -> Result {
    guard var relayed = URLComponents(string: url), let host = relayed.host, let port = relayed.port else {
      throw PostgresServer.Missing()
    }
    let relay = DatabaseRelay()
    let group = MultiThreadedEventLoopGroup.singleton
    let listener = try await ServerBootstrap(group: group)
      .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
      .childChannelInitializer { front in
        // Both ends of a connection use the same loop, so their handlers may share state.
        ClientBootstrap(group: front.eventLoop).connect(host: host, port: port).flatMapThrowing { back in
          let question = Question()
          try front.pipeline.syncOperations.addHandler(Forwarder(to: back, relay, question, losesAnswers: false))
          try back.pipeline.syncOperations.addHandler(Forwarder(to: front, relay, question, losesAnswers: true))
        }
      }
      .bind(host: "127.0.0.1", port: 0).get()
    relayed.host = "127.0.0.1"
    relayed.port = listener.localAddress?.port
    do {
      let result = try await body(relayed.string ?? "", relay)
      try await listener.close()
      return result
    } catch {
      try? await listener.close()
      throw error
    }
  }

  /// Drops the answer to the next COMMIT on a connection that carries this text.
  ///
  /// - Parameter breaking: Whether the connection breaks; otherwise it stays open and carries nothing more.
  package func loseCommit(of text: String, breaking: Bool = true) {
    state.withLock { ($0.marker, $0.breaks) = (Array(text.utf8), breaking) }
  }

  /// How many answers were dropped.
  package var lost: Int { state.withLock { $0.lost } }

  fileprivate func isMarked(_ bytes: ByteBufferView) -> Bool {
    state.withLock { state in state.marker.map { bytes.firstRange(of: $0) != nil } ?? false }
  }

  /// Counts a dropped answer. Returns whether the connection breaks.
  fileprivate func noteLoss() -> Bool {
    state.withLock { state in
      state.marker = nil
      state.lost += 1
      return state.breaks
    }
  }
}

/// The state of a connection.
private final class Question {
  /// Whether it has carried the marked text.
  var isMarked = false
  var isSilent = false
}

private final class Forwarder: ChannelInboundHandler {
  typealias InboundIn = ByteBuffer

  private static let committed = Array("COMMIT\0".utf8)

  private let other: any Channel
  private let relay: DatabaseRelay
  private let question: Question
  private let losesAnswers: Bool

  init(to other: any Channel, _ relay: DatabaseRelay, _ question: Question, losesAnswers: Bool) {
    self.other = other
    self.relay = relay
    self.question = question
    self.losesAnswers = losesAnswers
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    let buffer = unwrapInboundIn(data)
    if !losesAnswers {
      if relay.isMarked(buffer.readableBytesView) { question.isMarked = true }
    } else if question.isMarked, buffer.readableBytesView.firstRange(of: Self.committed) != nil {
      question.isMarked = false
      question.isSilent = !relay.noteLoss()
      guard !question.isSilent else { return }
      other.close(promise: nil)
      context.close(promise: nil)
      return
    }
    if losesAnswers && question.isSilent { return }
    other.writeAndFlush(buffer, promise: nil)
  }

  func channelInactive(context: ChannelHandlerContext) {
    if !(losesAnswers && question.isSilent) { other.close(promise: nil) }
    context.fireChannelInactive()
  }
}
