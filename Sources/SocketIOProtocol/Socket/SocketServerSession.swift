/// The server's side of Socket.IO over one Engine.IO session: joined namespaces, and the meaning of packets.
public struct SocketServerSession: Sendable {
  /// How packets are handled that are well formed but out of place.
  public enum Conduct: Sendable {
    /// The Engine.IO connection is closed, as by the reference server. Exception: while late POSTs may arrive, a second CONNECT, and a
    /// DISCONNECT from a namespace that was not joined, do not close it.
    case strict
    /// A second CONNECT is answered again; events for a namespace that is not joined, and payloads that are not events, are ignored.
    case lenient
  }

  public struct Settings: Sendable {
    public var conduct: Conduct
    public var parser: SocketParser
    public var maxAttachments: Int
    /// The limit for all attachments of one packet together.
    public var maxAttachmentBytes: Int
    /// The limit for the payload of one packet, including nested values.
    public var maxValues: Int
    public var maxNamespaces: Int

    public init(
      conduct: Conduct = .strict, parser: SocketParser = .json, maxAttachments: Int = 10,
      maxAttachmentBytes: Int = .max, maxValues: Int = .max, maxNamespaces: Int = 1000
    ) {
      self.parser = parser
      self.maxAttachmentBytes = maxAttachmentBytes
      self.conduct = conduct
      self.maxAttachments = maxAttachments
      self.maxValues = maxValues
      self.maxNamespaces = maxNamespaces
    }
  }

  /// The bytes of attachments that arrived while others of their packet are missing.
  public var waitingBytes: Int { reader.waitingBytes + (latePosts?.reader.waitingBytes ?? 0) }

  public enum Action: Equatable, Sendable {
    case none
    /// The client asks to join: answer with `accept` or `refuse`. `auth` is a JSON object, or empty.
    case connect(namespace: String, auth: [UInt8])
    /// The client asks again for a joined namespace: send the answer again.
    case connectAgain(namespace: String)
    /// Send a CONNECT_ERROR with this message; nothing is joined.
    case refuse(namespace: String, message: String)
    /// The client left. `wasJoined` is false if its request was not answered yet.
    case leave(namespace: String, wasJoined: Bool)
    case event(namespace: String, SocketEvent)
    case ack(namespace: String, AckID, SocketArguments)
    case close(DisconnectReason)
  }

  enum Membership {
    case pending
    case joined
  }

  let settings: Settings
  private let revision: EngineRevision
  var reader: SocketPacketReader
  private(set) var namespaces: [String: Membership] = [:]
  private var hasConnected = false
  /// Set while POSTs from before the upgrade may still arrive.
  var latePosts: LatePosts?

  public init(_ settings: Settings, revision: EngineRevision) {
    self.settings = settings
    self.revision = revision
    reader = settings.makeReader()
  }

  /// Whether no namespace is joined or requested.
  public var isIdle: Bool { namespaces.isEmpty }

  /// The namespace that clients join automatically: the main namespace in revision 3.
  var implicitNamespace: String? { revision == .v3 ? SocketPacket.mainNamespace : nil }

  /// The session has begun.
  public mutating func opened() -> Action {
    guard let namespace = implicitNamespace else { return .none }
    hasConnected = true
    namespaces[namespace] = .pending
    return .connect(namespace: namespace, auth: [])
  }

  /// An Engine.IO message arrived over the session's transport.
  public mutating func received(_ message: EnginePacket) -> Action {
    do {
      guard let packet = try reader.received(message) else { return .none }
      if noteOvertaking(packet), let action = unexplained(packet) { return action }
      return handle(packet)
    } catch {
      return .close(.parseError)
    }
  }

  mutating func handle(_ packet: SocketPacket) -> Action {
    switch packet.kind {
    case .connect: return connect(packet)
    case .connectError: return .close(.parseError)
    case .disconnect, .event, .ack: break
    }
    guard hasConnected else { return .close(.parseError) }
    if packet.kind == .disconnect { return disconnect(packet) }
    guard namespaces[packet.namespace] == .joined else { return outOfPlace }
    if packet.payload.isEmpty { return .none }
    if packet.kind == .ack {
      guard let arguments = SocketArguments(ack: packet) else { return .close(.parseError) }
      return packet.id.map { .ack(namespace: packet.namespace, $0, arguments) } ?? .none
    }
    guard let event = SocketEvent(packet) else { return outOfPlace }
    return .event(namespace: packet.namespace, event)
  }

  private var outOfPlace: Action {
    settings.conduct == .strict ? .close(.parseError) : .none
  }

  private mutating func connect(_ packet: SocketPacket) -> Action {
    let isObject = packet.payload.first { $0 > 0x20 } == UInt8(ascii: "{")
    guard isObject || packet.payload.isEmpty else { return .close(.parseError) }
    let (namespace, query) = split(packet.namespace)
    guard namespaces[namespace] == nil else {
      guard namespace != implicitNamespace else { return .none }
      guard settings.conduct == .lenient else { return .close(.parseError) }
      return namespaces[namespace] == .joined ? .connectAgain(namespace: namespace) : .none
    }
    hasConnected = true
    guard namespaces.count < settings.maxNamespaces else {
      return .refuse(namespace: namespace, message: "Too many namespaces")
    }
    namespaces[namespace] = .pending
    return .connect(namespace: namespace, auth: query ?? packet.payload)
  }

  /// Revision 3 clients append a query string to the namespace; it becomes the auth object.
  func split(_ name: String) -> (namespace: String, auth: [UInt8]?) {
    guard revision == .v3, let mark = name.firstIndex(of: "?") else { return (name, nil) }
    return (String(name[..<mark]), QueryString(name[name.index(after: mark)...]).jsonObject)
  }

  private mutating func disconnect(_ packet: SocketPacket) -> Action {
    guard packet.payload.isEmpty else { return .close(.parseError) }
    guard let membership = namespaces.removeValue(forKey: packet.namespace) else { return outOfPlace }
    return .leave(namespace: packet.namespace, wasJoined: membership == .joined)
  }

  /// The application accepted the client. Returns false if the client has left meanwhile.
  public mutating func accept(namespace: String) -> Bool {
    guard namespaces[namespace] == .pending else { return false }
    namespaces[namespace] = .joined
    return true
  }

  /// The application refused the client. Returns false if the client has left meanwhile.
  public mutating func refuse(namespace: String) -> Bool {
    guard namespaces[namespace] == .pending else { return false }
    namespaces[namespace] = nil
    return true
  }

  /// The server removed the client from a namespace. Returns false if the client was not in it.
  public mutating func remove(namespace: String) -> Bool {
    namespaces.removeValue(forKey: namespace) == .joined
  }
}

extension SocketServerSession.Settings {
  func makeReader() -> SocketPacketReader {
    SocketPacketReader(
      parser: parser, maxAttachments: maxAttachments, maxAttachmentBytes: maxAttachmentBytes, maxValues: maxValues)
  }
}
