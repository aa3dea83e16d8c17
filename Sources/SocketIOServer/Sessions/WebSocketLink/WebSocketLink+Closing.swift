import Logging
import NIOCore
import SocketIOProtocol

extension WebSocketLink {
  /// Closes with a close frame. The session receives nothing more from it.
  func close(_ code: UInt16?) {
    if case .silent = state { return abort() }
    if case .opening = state { state = .closed }
    guard case .open = state else { return }
    startClosing(code)
  }

  func closeAsTooSlow() {
    guard isOverfull, case .open(let session) = state else { return }
    shard.core.logger.info(
      "Client closed: it reads too slowly", metadata: ["sid": "\(session.id)"])
    abort()
  }

  /// Closes the connection without a close frame.
  func abort() {
    ended(.transportClose)
    context?.close(promise: nil)
  }

  /// Sends nothing and ignores all input from now on.
  func fallSilent() {
    guard case .open(let session) = state else { return }
    heldFrame = nil
    pause = nil
    parser = WebSocketParser(maxMessageSize: 0)
    releaseMessage()
    state = .silent(session)
  }

  /// Closes the connection with a reset (RST).
  func reset() {
    ended(.transportError)
    _ = context?.channel.reset()
  }

  func startClosing(_ code: UInt16?) {
    endPause()
    writeThroughChannel(WebSocketFrame.close(code))
    context?.flush()
    state = .closing(deadline: closeDeadline)
    shard.schedule(self)
  }

  func endOutput() {
    context?.flush()
    context?.close(mode: .output, promise: nil)
    parser = WebSocketParser(maxMessageSize: 0)
    releaseMessage()
    state = .halfClosed(deadline: closeDeadline)
    shard.schedule(self)
  }

  private var closeDeadline: Milliseconds {
    Milliseconds.uptime + shard.core.configuration.closeTimeout.milliseconds
  }

  func ended(_ reason: DisconnectReason) {
    let before = state
    state = .closed
    pause = nil
    releaseMessage()
    shard.remove(self)
    switch before {
    case .open(let session), .silent(let session): session.lost(self, reason)
    case .opening(.open(let session), _): session.close(reason)
    case .opening, .closing, .halfClosed, .closed: break
    }
  }
}
