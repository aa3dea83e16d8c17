import Logging
import NIOCore
import SocketIOProtocol

extension SocketIOClient {
  func handle(_ event: WebSocketTransport.Event, connection id: Int, isUpgrade: Bool) {
    guard let current = connection, current.id == id else { return }
    let isCarrier = !isUpgrade || current.engine.transport == .webSocket
    if !isUpgrade, case .none = current.carrier {
      connection?.beforeHandover.append(event)
      return
    }
    switch event {
    case .packet(let packet) where isCarrier: received(packet, connection: id)
    case .packet(let packet): receivedOnUpgrade(packet, connection: id)
    case .explanation(let failure) where isCarrier: fail(failure, connection: id)
    case .garbage where isCarrier: fail(.lost(.parseError), connection: id)
    case .closed where isCarrier: fail(.lost(.transportClose), connection: id)
    case .explanation, .garbage, .closed: upgradeLost(connection: id)
    }
  }

  private func upgradeLost(connection id: Int) {
    connection?.engine.upgradeLost()
    connection?.upgrade?.close()
    connection?.upgrade = nil
    // Polling has stopped for an upgrade that will not happen.
    if connection?.isPausing == true { fail(.lost(.transportError), connection: id) }
  }

  func received(_ packet: EnginePacket, connection id: Int) {
    guard let current = connection, current.id == id, !current.hasFailed else { return }
    perform(connection?.engine.received(packet, at: Self.now()) ?? .none, packet, connection: id)
  }

  func perform(_ action: EngineClientSession.Action, _ packet: EnginePacket?, connection id: Int) {
    switch action {
    case .none: break
    case .opened:
      connection?.wasOpened = true
      opened(connection: id)
    case .send(let answer):
      if answer.kind == .pong {
        tell(.ping)
        pong(answer, connection: id)
      } else {
        transmit([answer])
      }
      watchHeartbeat(connection: id)
    case .deliver:
      if let packet, let action = connection?.socket.received(packet) { perform(action, connection: id) }
    case .close(let reason):
      fail(connection?.wasOpened == true ? .lost(reason) : .notSocketIO("it sent no open packet"), connection: id)
    }
  }

  /// Answers a ping. If the server does not read the answers, they must not pile up.
  private func pong(_ answer: EnginePacket, connection id: Int) {
    switch connection?.carrier {
    case .webSocket(let transport):
      guard transport.isWritable || connection?.hasPong == false else {
        return fail(.lost(.transportError), connection: id)
      }
      connection?.hasPong = true
      transport.sendWatched(answer).whenComplete { [weak self] _ in self?.assumeIsolated { $0.pongSent(connection: id) }
      }
    case .polling where connection?.hasPong == false:
      connection?.hasPong = true
      transmit([answer])
    case .polling, .some(.none), nil: break
    }
  }

  private func pongSent(connection id: Int) {
    guard connection?.id == id else { return }
    connection?.hasPong = false
  }

  private func opened(connection id: Int) {
    watchHeartbeat(connection: id)
    if let transport = connection?.engine.transport { tell(.opened(transport)) }
    for namespace in memberships.keys { join(namespace) }
  }

  private func perform(_ action: SocketClientSession.Action, connection id: Int) {
    switch action {
    case .none: break
    case .connected(let namespace, let sid, let pid): connected(to: namespace, sid: sid, pid: pid)
    case .refused(let namespace, let error):
      claims[namespace] = nil
      notJoined(namespace)
      refused(namespace, Refusal(json: error))
    case .event(let namespace, let event): heard(event, in: namespace)
    case .early(let namespace, let event): connection?.early.append(event, in: namespace, configuration)
    case .ack(let namespace, let number, let arguments):
      acknowledged(Awaited(namespace: namespace, id: number), arguments)
    case .disconnected(let namespace):
      claims[namespace] = nil
      notJoined(namespace)
      // The server may have sent it before it received the new CONNECT, and no other answer may come.
      settleJoining(namespace, .failure(.notConnected))
      tell(namespace, .disconnected(.serverNamespaceDisconnect))
      dropUnread(namespace, nil)
    case .close(let reason): fail(.lost(reason), connection: id)
    }
  }

  /// The server no longer has this client in the namespace, if it ever had.
  private func notJoined(_ namespace: String) {
    _ = connection?.early.take(namespace)
    guard connection?.sockets.removeValue(forKey: namespace) != nil else { return }
    interruptQueue(namespace)
    forgetAcks { $0.namespace == namespace }
  }

  private func connected(to namespace: String, sid: String, pid: String?) {
    let early = connection?.early.take(namespace)
    // If early events were lost, the socket counts as new, as after a long absence.
    let mayReturn = claims[namespace] != nil
    let former = early == nil ? nil : claims[namespace]
    let isRecovered = pid != nil && former?.pid == pid
    claims[namespace] = configuration.recovery ? pid.map { RecoveryClaim(pid: $0, offset: nil) } : nil
    if isRecovered { claims[namespace] = former }
    memberships[namespace]?.wasJoined = true
    connection?.sockets[namespace] = JoinedSocket(id: sid, isRecovered: isRecovered)
    tell(namespace, .connected(sid: sid, recovered: isRecovered))
    for event in early ?? [] { heard(event, in: namespace) }
    if early == nil, !mayReturn { lostEarly(in: namespace) }
    sendKept(in: namespace)
    settleJoining(namespace, .success(()))
  }

  /// Ends the sequences of readers with an error, because events before the answer to CONNECT were lost.
  private func lostEarly(in namespace: String) {
    logger.warning(
      "events before the answer to CONNECT were lost: they exceeded maxWaitingUpdates or maxMessageBytes",
      metadata: ["namespace": "\(namespace)"])
    endListeners(namespace, .tooSlow)
    if let feedID = memberships[namespace]?.feedID { end(feedID, .tooSlow) }
  }

  private func heard(_ event: SocketEvent, in namespace: String) {
    let event = withoutOffset(event, in: namespace)
    tell(namespace, .event(event))
    publish(event, in: namespace, .received)
  }

  /// Removes the offset, which is the last argument of an event if the server can recover connections.
  private func withoutOffset(_ event: SocketEvent, in namespace: String) -> SocketEvent {
    guard claims[namespace] != nil, event.id == nil, let last = event.arguments.values.last,
      let offset = JSONText.string(last[...])
    else { return event }
    claims[namespace]?.offset = offset
    var event = event
    event.arguments.values.removeLast()
    return event
  }
}
