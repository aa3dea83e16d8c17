/// The recipients of a broadcast: the sockets of a namespace that are in any of `rooms` and in none of `except`. If `rooms` is empty: all
/// sockets that are in none of `except`. (`Socket.broadcast` with an empty set of rooms reaches no socket.)
public struct BroadcastTarget: Sendable {
  /// With its leading slash.
  public var namespace: String
  /// The rooms to reach; every socket is in the room of its own id. Empty means the whole namespace.
  public var rooms: Set<String>
  /// Rooms, or ids of sockets, to exclude.
  public var except: Set<String>
  /// Whether sockets that cannot receive the event at once may miss it.
  public var isVolatile: Bool
  /// Whether only sockets of this server are included, if an adapter connects it with others.
  public var isLocal: Bool
  /// Whether the event may be compressed (`Configuration.perMessageDeflate`, `compressionThreshold`).
  public var compress: Bool

  /// - Parameter namespace: "chat" means "/chat".
  public init(
    namespace: String, rooms: Set<String> = [], except: Set<String> = [], isVolatile: Bool = false,
    isLocal: Bool = false, compress: Bool = true
  ) {
    self.namespace = namespace.asNamespace
    self.rooms = rooms
    self.except = except
    self.isVolatile = isVolatile
    self.isLocal = isLocal
    self.compress = compress
  }

  /// Whether the target selects the socket with this id that is in these rooms.
  func means(_ id: String, in joined: Set<String>) -> Bool {
    guard !except.contains(id), except.isDisjoint(with: joined) else { return false }
    return rooms.isEmpty || rooms.contains(id) || !rooms.isDisjoint(with: joined)
  }
}

extension String {
  /// The name of a namespace with its leading slash, which is added if it is missing, as in the reference server.
  var asNamespace: String { utf8.first == UInt8(ascii: "/") ? self : "/" + self }
}
