import DequeModule
import NIOCore
import SocketIOProtocol

/// Answers one long-polling request. Called exactly once.
typealias PollReply = @Sendable (PollingAnswer) -> Void

/// The answer to a long-polling request.
enum PollingAnswer: Sendable {
  case payload([UInt8], isBinary: Bool, mayBeCompressed: Bool)
  case posted
  /// An empty 400.
  case broken
  /// No answer: the connection is reset.
  case reset
  case refused(EngineRefusal)
}

extension Session {
  func pollReply(_ packets: [OutboundPacket]) -> PollingAnswer {
    // Compressed, as in the reference server, unless compression is off for all its packets.
    let mayBeCompressed = packets.contains(where: \.mayBeCompressed)
    let packets = packets.map(\.enginePacket)
    let takesBinary = handshake.query["b64"] == nil && JSONP(handshake.query) == nil
    if revision == .v3, takesBinary, EnginePayload.needsBinaryForm(packets) {
      return .payload(EnginePayload.encodeBinary(packets), isBinary: true, mayBeCompressed: mayBeCompressed)
    }
    return .payload(EnginePayload.encode(packets, revision), isBinary: false, mayBeCompressed: mayBeCompressed)
  }

  /// A GET arrived.
  func pollArrived(_ reply: @escaping PollReply) {
    switch engine.pollArrived() {
    case .refuse(let refusal):
      reply(.refused(refusal))
    case .overlap:
      close(.transportError)
      reply(.broken)
    case .wait:
      pollNumber += 1
      poll = reply
      answerPoll()
    }
  }

  /// Answers the waiting GET if there is something to send.
  func answerPoll() {
    guard let reply = poll else { return }
    guard !queue.isEmpty else {
      if let drain { endDrained(drain, reply) }
      return
    }
    var packets: [OutboundPacket] = []
    while packets.count < core.configuration.maxPacketsPerPoll, let packet = queue.popFirst() {
      queuedBytes -= packet.size
      packets.append(packet)
    }
    poll = nil
    engine.pollAnswered()
    reply(pollReply(packets))
  }

  /// The client has received everything: its next GET reports the end, as in the reference server.
  private func endDrained(_ drain: Drain, _ reply: PollReply) {
    poll = nil
    engine.pollAnswered()
    reply(pollReply([OutboundPacket(EnginePacket(.noop)), OutboundPacket(EnginePacket(.close))]))
    close(drain.reason)
  }

  /// The connection of the waiting GET is gone.
  func pollAborted(_ number: Int) {
    guard number == pollNumber, engine.pollAborted() else { return }
    // The client cannot receive this answer, but the code that serves the request waits for it.
    poll?(.broken)
    poll = nil
    close(.transportClose)
  }

  /// Answers the waiting GET with a noop, so that the client continues its upgrade.
  func releasePoll() {
    guard let reply = poll else { return }
    poll = nil
    engine.pollAnswered()
    reply(pollReply([OutboundPacket(EnginePacket(.noop))]))
  }

  /// The body of a POST has come.
  func posted(_ body: [UInt8], isBinary: Bool) -> PollingAnswer {
    engine.postFinished()
    guard !engine.isClosed else { return .refused(.unknownSession) }
    guard !isBinary || revision == .v3 else {
      close(.transportError)
      return .broken
    }
    do {
      let text =
        String(validating: body, as: UTF8.self) == nil ? Array(String(decoding: body, as: UTF8.self).utf8) : body
      let packets = isBinary ? try EnginePayload.decodeBinary(body) : try EnginePayload.decode(text, revision)
      // Packets that arrive during or after the completion of the upgrade were sent before everything on the WebSocket.
      let isLate = engine.transport == .webSocket
      for packet in packets where !engine.isClosed { received(packet, isLate: isLate) }
    } catch {
      close(.parseError)
    }
    return wasReset ? .reset : .posted
  }

  /// The body of a POST did not arrive completely. A body that is too large leaves the session open. A lost body ends the session, also
  /// after an upgrade: clients never repeat it, but recover when the session ends.
  func postFailed(closing: Bool) {
    engine.postFinished()
    if closing { close(.transportError) }
  }
}
