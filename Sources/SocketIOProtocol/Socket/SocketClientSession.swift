/// The client's side of Socket.IO over one Engine.IO session: joined namespaces, and the meaning of packets.
public struct SocketClientSession: Sendable {
  public enum Action: Equatable, Sendable {
    case none
    /// The server accepted: the socket's id, and its private id if the server can recover connections.
    case connected(namespace: String, sid: String, pid: String?)
    /// The server refused. `error` is its JSON value (`{"message":…}`, or a string from old servers).
    case refused(namespace: String, error: [UInt8])
    case event(namespace: String, SocketEvent)
    /// An event that arrived before the server's answer to CONNECT: a missed event of a returning client, or one that the application emits
    /// while it accepts the client. Deliver it after the answer.
    case early(namespace: String, SocketEvent)
    case ack(namespace: String, AckID, SocketArguments)
    /// The server removed this client from the namespace.
    case disconnected(namespace: String)
    case close(DisconnectReason)
  }

  private enum Membership {
    case asked
    case joined
  }

  private let revision: EngineRevision
  private var reader: SocketPacketReader
  private var namespaces: [String: Membership] = [:]

  /// - Parameters:
  ///   - maxAttachments: A packet that has or announces more closes the connection.
  ///   - maxValues: A packet whose payload has more values, including nested ones, closes the connection.
  public init(
    revision: EngineRevision = .v4, parser: SocketParser = .json, maxAttachments: Int = 10, maxValues: Int = .max
  ) {
    self.revision = revision
    reader = SocketPacketReader(parser: parser, maxAttachments: maxAttachments, maxValues: maxValues)
    if revision == .v3 { namespaces[SocketPacket.mainNamespace] = .asked }
  }

  /// The packet that asks to join a namespace; `nil` if it is already joined or requested. `auth` is a JSON object or empty.
  public mutating func connect(_ namespace: String, auth: [UInt8] = []) -> SocketPacket? {
    guard namespaces[namespace] == nil else { return nil }
    namespaces[namespace] = .asked
    return SocketPacket(.connect, namespace: namespace, payload: revision == .v4 ? auth : [])
  }

  /// The packet that leaves a namespace; `nil` if it is neither joined nor requested.
  public mutating func disconnect(_ namespace: String) -> SocketPacket? {
    guard namespaces.removeValue(forKey: namespace) != nil else { return nil }
    return SocketPacket(.disconnect, namespace: namespace)
  }

  /// Whether the namespace is joined or requested.
  public func isAsked(_ namespace: String) -> Bool { namespaces[namespace] != nil }

  public func isJoined(_ namespace: String) -> Bool { namespaces[namespace] == .joined }

  /// An Engine.IO message arrived.
  public mutating func received(_ message: EnginePacket) -> Action {
    do {
      guard let packet = try reader.received(message) else { return .none }
      return handle(packet)
    } catch {
      return .close(.parseError)
    }
  }

  private mutating func handle(_ packet: SocketPacket) -> Action {
    let namespace = packet.namespace
    switch packet.kind {
    case .connect:
      guard namespaces[namespace] != nil else { return .none }
      return connected(packet)
    case .connectError:
      let wasAsked = namespaces.removeValue(forKey: namespace) != nil
      return wasAsked ? .refused(namespace: namespace, error: packet.payload) : .none
    case .disconnect:
      let wasKnown = namespaces.removeValue(forKey: namespace) != nil
      return wasKnown ? .disconnected(namespace: namespace) : .none
    case .event:
      guard let membership = namespaces[namespace], let event = SocketEvent(packet) else { return .none }
      return membership == .joined ? .event(namespace: namespace, event) : .early(namespace: namespace, event)
    case .ack:
      guard namespaces[namespace] == .joined, let id = packet.id, let arguments = SocketArguments(ack: packet) else {
        return .none
      }
      return .ack(namespace: namespace, id, arguments)
    }
  }

  private mutating func connected(_ packet: SocketPacket) -> Action {
    var fields: [String: String] = [:]
    for member in JSONScanner.members(ofObject: packet.payload) ?? [] {
      fields[member.key] = JSONText.string(packet.payload[member.value])
    }
    // A server of Engine.IO 3 (Socket.IO protocol revision 4) sends no id with its CONNECT.
    guard let sid = fields["sid"] ?? (revision == .v3 ? "" : nil) else { return .close(.parseError) }
    namespaces[packet.namespace] = .joined
    return .connected(namespace: packet.namespace, sid: sid, pid: fields["pid"])
  }
}
