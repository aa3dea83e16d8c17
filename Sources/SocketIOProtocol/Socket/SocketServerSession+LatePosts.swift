// A fast client completes its upgrade while a POST of its own is still on the way. What that POST brings was sent before
// everything that comes over the WebSocket, and arrives after some of it.

extension SocketServerSession {
  /// What must be known to keep the client's order while such POSTs may come.
  struct LatePosts {
    /// A reader of their own: their packets may come between a text and its attachments over the WebSocket.
    var reader: SocketPacketReader
    /// The namespaces that the client joined or left over the WebSocket: nothing that a late POST says of joining or
    /// leaving them counts any more.
    var overtaken: Set<String> = []
  }

  /// The upgrade to WebSocket is complete: POSTs that were sent before may still come.
  public mutating func upgraded() {
    latePosts = LatePosts(reader: SocketPacketReader(maxAttachments: settings.maxAttachments))
  }

  /// No such POST is taken any more.
  public mutating func latePostsEnded() {
    latePosts = nil
  }

  /// An Engine.IO message came by a POST that the upgrade overtook.
  ///
  /// Joining and leaving keep the client's order. Nothing tells before which events of the WebSocket a late event was
  /// sent: it is delivered when it comes.
  public mutating func receivedLate(_ message: EnginePacket) -> Action {
    do {
      guard let packet = try latePosts?.reader.received(message) else { return .none }
      return isOvertaken(packet) ? .none : handle(packet)
    } catch {
      return .close(.parseError)
    }
  }

  private func isOvertaken(_ packet: SocketPacket) -> Bool {
    let namespace = split(packet.namespace).namespace
    guard latePosts?.overtaken.contains(namespace) ?? false else { return false }
    switch packet.kind {
    case .connect, .disconnect: return true
    case .event, .ack, .connectError: return namespaces[namespace] != .joined
    }
  }

  /// Notes what a packet of the WebSocket says of joining and leaving. Returns what to do with a packet that is in its
  /// place only if a late POST is still to come, whatever the conduct.
  mutating func overtaking(_ packet: SocketPacket) -> Action? {
    guard let overtaken = latePosts?.overtaken, packet.kind == .connect || packet.kind == .disconnect else {
      return nil
    }
    let namespace = split(packet.namespace).namespace
    guard overtaken.contains(namespace) || overtaken.count < settings.maxNamespaces else { return nil }
    latePosts?.overtaken.insert(namespace)
    switch (packet.kind, namespaces[namespace]) {
    case (.connect, .joined) where namespace != implicitNamespace: return .connectAgain(namespace: namespace)
    case (.connect, .pending), (.disconnect, nil): return Action.none
    default: return nil
    }
  }
}
