public import SocketIOProtocol

extension SocketIOClient {
  /// Sends an event.
  ///
  /// While the namespace is requested but not joined, the event is kept, in order and within `maxOfflineEvents` and `maxOfflineBytes`. With
  /// `retries` it is sent again until the server acknowledges it. Without, it arrives once, or not at all if the connection is lost
  /// meanwhile.
  /// - Parameters:
  ///   - arguments: JSON texts, and the attachments that their placeholders refer to.
  ///   - isVolatile: Whether the event is dropped if it cannot be sent at once, because the namespace is not joined or the network is too
  ///     slow.
  /// - Throws: ``SocketIOError/reservedName(_:)``, ``SocketIOError/notConnected`` in a namespace that was never requested or was left,
  ///   ``SocketIOError/congested`` or ``SocketIOError/full(limit:)``. Then the event was neither sent nor kept.
  public func emit(
    _ name: String, _ arguments: SocketArguments = .init(), in namespace: String = SocketPacket.mainNamespace,
    isVolatile: Bool = false
  ) throws(SocketIOError) {
    let id = configuration.retries > 0 && !isVolatile ? makeAckID() : nil
    let outgoing = try outgoing(name, arguments, id, in: namespace)
    if isVolatile {
      if isConnected(to: namespace), isWritable { transmit(outgoing) }
    } else if let id {
      try enqueue(outgoing, id, timeout: configuration.ackTimeout)
    } else {
      try sendOrKeep(outgoing)
    }
  }

  /// Sends an event and waits for the server's acknowledgement.
  ///
  /// While the namespace is requested but not joined, the event is kept, as by an emit without acknowledgement. If it is still kept when
  /// the time is over, or this task is cancelled, it is not sent.
  /// - Parameter time: How long to wait from now on; with `retries`, how long each try waits. `nil`: `ackTimeout`.
  /// - Throws: ``SocketIOError``. After ``SocketIOError/timedOut`` or a lost connection (``SocketIOError/notConnected``) the event may have
  ///   arrived. With `retries`, both are thrown only after the last try.
  @discardableResult
  public func emit(
    _ name: String, _ arguments: SocketArguments = .init(), in namespace: String = SocketPacket.mainNamespace,
    acknowledgedWithin time: Duration?
  ) async throws -> SocketArguments {
    guard acknowledgements.count < configuration.maxWaitingAcks else { throw SocketIOError.congested }
    let id = makeAckID()
    let outgoing = try outgoing(name, arguments, id, in: namespace)
    let awaited = Awaited(namespace: namespace, id: id)
    let time = time ?? configuration.ackTimeout
    guard configuration.retries > 0 else {
      try sendOrKeep(outgoing)
      return try await acknowledgement(of: awaited, within: time)
    }
    try enqueue(outgoing, id, timeout: time)
    return try await acknowledgement(of: awaited, within: nil)
  }

  /// Sends an event with these values as arguments, as JSON.
  /// - Throws: `EncodingError`, or as for raw arguments; then nothing was sent.
  public func emit<each Value: Encodable>(
    _ name: String, _ values: repeat each Value, in namespace: String = SocketPacket.mainNamespace,
    isVolatile: Bool = false
  ) throws {
    let arguments = try SocketArguments(encoding: repeat each values)
    try emit(name, arguments, in: namespace, isVolatile: isVolatile)
  }

  /// Sends an event with these values as arguments, and waits for the server's acknowledgement.
  /// - Throws: `EncodingError`, or as for raw arguments.
  @discardableResult
  public func emit<each Value: Encodable>(
    _ name: String, _ values: repeat each Value, in namespace: String = SocketPacket.mainNamespace,
    acknowledgedWithin time: Duration?
  ) async throws -> SocketArguments {
    let arguments = try SocketArguments(encoding: repeat each values)
    return try await emit(name, arguments, in: namespace, acknowledgedWithin: time)
  }

  /// Like ``emit(_:_:_:in:acknowledgedWithin:)``, but decodes the acknowledgement's first argument.
  /// - Throws: Also `DecodingError` if the answer has another type.
  public func emit<each Value: Encodable, Answer: Decodable>(
    _ name: String, _ values: repeat each Value, in namespace: String = SocketPacket.mainNamespace,
    acknowledgedWithin time: Duration?, as answer: Answer.Type
  ) async throws -> Answer {
    let arguments = try SocketArguments(encoding: repeat each values)
    return try await emit(name, arguments, in: namespace, acknowledgedWithin: time).decode(answer)
  }

  private func outgoing(
    _ name: String, _ arguments: SocketArguments, _ id: AckID?, in namespace: String
  ) throws(SocketIOError) -> Outgoing {
    guard !SocketEvent.isReserved(name) else { throw .reservedName(name) }
    return Outgoing(SocketEvent(name: name, arguments: arguments, id: id), in: namespace, configuration.parser)
  }

  private func sendOrKeep(_ outgoing: Outgoing) throws(SocketIOError) {
    let namespace = outgoing.namespace
    guard memberships[namespace] != nil else { throw .notConnected }
    guard isConnected(to: namespace) else {
      try memberships[namespace]?.buffer.append(outgoing, configuration)
      return
    }
    guard isWritable else { throw .congested }
    transmit(outgoing)
  }

  /// Sends an event now, and passes it to readers of outgoing events.
  func transmit(_ outgoing: Outgoing) {
    transmit(outgoing.messages)
    publish(outgoing.event, in: outgoing.namespace, .sent)
  }
}
