// A fast client may complete its upgrade while one of its POSTs is still in transit. A late POST counts as sent before all input of the
// WebSocket. So its joins and leaves are ignored for namespaces that the WebSocket has already joined or left. Its events cannot be
// inserted before delivered events; they are delivered when they arrive.

extension SocketServerSession {
  /// The state that is needed while late POSTs may arrive.
  struct LatePosts {
    /// The longest name that is noted, in bytes, because unknown clients can send any number of names.
    static let maxNameLength = 256

    /// A separate reader, because their packets may arrive between a text and its attachments over the WebSocket.
    var reader: SocketPacketReader
    /// The namespaces that the client joined or left over the WebSocket.
    var overtaken: Set<String> = []
  }

  /// POSTs from before the upgrade may arrive. Call it when ``EngineServerSession/receivedOnUpgrade(_:at:)`` returns `complete` and
  /// ``EngineServerSession/takesLatePosts`` is true.
  public mutating func beginLatePosts() {
    latePosts = LatePosts(reader: settings.makeReader())
  }

  /// No late POST is accepted any longer. Call it for ``EngineServerSession/TickAction/endLatePosts``.
  public mutating func endLatePosts() {
    latePosts = nil
  }

  /// An Engine.IO message arrived by a late POST.
  public mutating func receivedLate(_ message: EnginePacket) -> Action {
    do {
      guard let packet = try readLate(message) else { return .none }
      return isOvertaken(packet) ? .none : handle(packet)
    } catch {
      return .close(.parseError)
    }
  }

  private mutating func readLate(_ message: EnginePacket) throws(SocketParseError) -> SocketPacket? {
    // The rest of a packet whose text arrived before the upgrade.
    let isRest = message.isBinary && latePosts?.reader.isWaiting == false && reader.isWaiting
    return isRest ? try reader.received(message) : try latePosts?.reader.received(message)
  }

  private func isOvertaken(_ packet: SocketPacket) -> Bool {
    let namespace = split(packet.namespace).namespace
    guard latePosts?.overtaken.contains(namespace) ?? false else { return false }
    switch packet.kind {
    case .connect, .disconnect: return true
    case .event, .ack, .connectError: return namespaces[namespace] != .joined
    }
  }

  /// Notes that a packet of the WebSocket joins or leaves a namespace. False if it does neither, or if too many are noted.
  mutating func noteOvertaking(_ packet: SocketPacket) -> Bool {
    guard packet.kind == .connect || packet.kind == .disconnect, let overtaken = latePosts?.overtaken else {
      return false
    }
    let namespace = split(packet.namespace).namespace
    guard namespace.utf8.count <= LatePosts.maxNameLength,
      overtaken.contains(namespace) || overtaken.count < settings.maxNamespaces
    else { return false }
    latePosts?.overtaken.insert(namespace)
    return true
  }

  /// The action for a noted packet that is out of place, because a POST that explains it may still arrive. A second CONNECT is answered
  /// again, and a DISCONNECT from a namespace that was not joined is ignored, under any conduct. `nil` for a packet that is in place.
  func unexplained(_ packet: SocketPacket) -> Action? {
    let namespace = split(packet.namespace).namespace
    switch (packet.kind, namespaces[namespace]) {
    case (.connect, .joined) where namespace != implicitNamespace: return .connectAgain(namespace: namespace)
    case (.connect, .pending), (.disconnect, nil): return Action.none
    default: return nil
    }
  }
}
