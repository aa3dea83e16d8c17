// A fast client completes its upgrade while a POST of its own is still on the way. A late POST counts as sent before
// everything that came over the WebSocket. So what it says of joining and leaving a namespace is ignored where the WebSocket
// has already joined or left that namespace. Its events cannot be put before events that were already delivered: they are
// delivered when they come.

extension SocketServerSession {
  /// What must be known while such POSTs may come.
  struct LatePosts {
    /// Longer names, in bytes, are not noted, as strangers can send any number of them.
    static let maxNameLength = 256

    /// A reader of their own: their packets may come between a text and its attachments over the WebSocket.
    var reader: SocketPacketReader
    /// The namespaces that the client joined or left over the WebSocket.
    var overtaken: Set<String> = []
  }

  /// POSTs that were sent before the upgrade may come. Call it when ``EngineServerSession/receivedOnUpgrade(_:at:)`` answered
  /// `complete` and ``EngineServerSession/takesLatePosts`` is true.
  public mutating func beginLatePosts() {
    latePosts = LatePosts(reader: settings.makeReader())
  }

  /// No such POST is taken any more. Call it upon ``EngineServerSession/TickAction/endLatePosts``.
  public mutating func endLatePosts() {
    latePosts = nil
  }

  /// An Engine.IO message came by a late POST.
  public mutating func receivedLate(_ message: EnginePacket) -> Action {
    do {
      guard let packet = try readLate(message) else { return .none }
      return isOvertaken(packet) ? .none : handle(packet)
    } catch {
      return .close(.parseError)
    }
  }

  private mutating func readLate(_ message: EnginePacket) throws(SocketParseError) -> SocketPacket? {
    // The rest of a packet whose text came before the upgrade.
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

  /// Notes that a packet of the WebSocket joins or leaves a namespace. False when it does neither, or too many are noted.
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

  /// What to do with a noted packet that is out of place, unless a POST that explains it is on its way: a second CONNECT is
  /// answered again, a DISCONNECT from a namespace that is not joined is ignored, whatever the conduct. `nil` for one that
  /// is in its place.
  func unexplained(_ packet: SocketPacket) -> Action? {
    let namespace = split(packet.namespace).namespace
    switch (packet.kind, namespaces[namespace]) {
    case (.connect, .joined) where namespace != implicitNamespace: return .connectAgain(namespace: namespace)
    case (.connect, .pending), (.disconnect, nil): return Action.none
    default: return nil
    }
  }
}
