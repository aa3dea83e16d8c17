import SocketIOProtocol
import Synchronization

extension Socket {
  /// Identifies a listener, for `off`.
  public struct Listener: Hashable, Sendable {
    private let number: UInt64

    private static let last = Atomic<UInt64>(0)

    init() { number = Self.last.wrappingAdd(1, ordering: .relaxed).newValue }
  }
}

/// The listeners to the events of a socket; each kind keeps its order.
///
/// A value type: sockets share the listeners of their namespace until one changes its own.
struct Listeners: Sendable {
  typealias Body = @Sendable (Socket, Socket.Event) throws -> Void

  struct Entry: Sendable {
    let id: Socket.Listener
    let isOnce: Bool
    let body: Body
    /// Set for asynchronous middleware, instead of `body`.
    var perform: (@Sendable (Socket, Socket.Event) async throws -> Void)?
  }

  enum Kind: Sendable {
    /// May refuse events before any listener sees them.
    case middleware
    /// Events with any name.
    case any
    case named(String)
    /// Events that are sent to the client.
    case outgoing
  }

  /// A listener to the end of one socket.
  struct Ending: Sendable {
    let id: Socket.Listener
    /// Whether it runs while the socket is still in its rooms.
    let isEarly: Bool
    let body: @Sendable (Socket, DisconnectReason) -> Void
  }

  private(set) var middleware: [Entry] = []
  private(set) var any: [Entry] = []
  private(set) var named: [String: [Entry]] = [:]
  private(set) var outgoing: [Entry] = []
  private(set) var endings: [Ending] = []

  mutating func add(_ entry: Entry, _ kind: Kind, isFirst: Bool = false) {
    func put(_ entries: inout [Entry]) { entries.insert(entry, at: isFirst ? 0 : entries.count) }
    switch kind {
    case .middleware: put(&middleware)
    case .any: put(&any)
    case .named(let name): put(&named[name, default: []])
    case .outgoing: put(&outgoing)
    }
  }

  mutating func add(_ ending: Ending) { endings.append(ending) }

  mutating func remove(_ id: Socket.Listener) {
    middleware.removeAll { $0.id == id }
    any.removeAll { $0.id == id }
    outgoing.removeAll { $0.id == id }
    endings.removeAll { $0.id == id }
    guard let name = named.first(where: { $0.value.contains { $0.id == id } })?.key else { return }
    named[name]?.removeAll { $0.id == id }
    if named[name]?.isEmpty ?? false { named[name] = nil }
  }

  mutating func removeAll(named name: String) { named[name] = nil }

  /// Whether the listener is still registered for events with this name.
  func contains(_ id: Socket.Listener, for name: String) -> Bool {
    [middleware, any, named[name] ?? [], outgoing].contains { $0.contains { $0.id == id } }
  }
}

extension Listeners {
  /// Decodes the first argument as this type.
  static func taking<Value: Decodable & Sendable>(
    _ type: Value.Type, _ body: @escaping @Sendable (Socket, Value, Acknowledgement?) -> Void
  ) -> Body {
    { socket, event in body(socket, try event.arguments.decode(type), event.acknowledge) }
  }

  /// Decodes the first arguments as these types. There is one function for each number of values, because the acknowledgement cannot follow
  /// a parameter pack.
  static func taking<First: Decodable & Sendable, Second: Decodable & Sendable>(
    _ first: First.Type, _ second: Second.Type,
    _ body: @escaping @Sendable (Socket, First, Second, Acknowledgement?) -> Void
  ) -> Body {
    { socket, event in
      let values = try event.arguments.decodeFirst(first, second)
      body(socket, values.0, values.1, event.acknowledge)
    }
  }

  static func taking<First: Decodable & Sendable, Second: Decodable & Sendable, Third: Decodable & Sendable>(
    _ first: First.Type, _ second: Second.Type, _ third: Third.Type,
    _ body: @escaping @Sendable (Socket, First, Second, Third, Acknowledgement?) -> Void
  ) -> Body {
    { socket, event in
      let values = try event.arguments.decodeFirst(first, second, third)
      body(socket, values.0, values.1, values.2, event.acknowledge)
    }
  }

  /// Runs the body in a task of the socket.
  static func performing(_ body: @escaping @Sendable (Socket, Socket.Event) async throws -> Void) -> Body {
    { socket, event in socket.work(on: event) { try await body(socket, event) } }
  }

  /// Decodes the first arguments as these types, and answers the event in a task of the socket.
  static func answering<each Value: Decodable & Sendable, Answer: Encodable & Sendable>(
    _ types: repeat (each Value).Type, by body: @escaping @Sendable (Socket, repeat each Value) async throws -> Answer
  ) -> Body {
    { socket, event in
      let values = try event.arguments.decodeFirst(repeat (each Value).self)
      socket.work(on: event) {
        let answer = try await body(socket, repeat each values)
        try event.acknowledge?(answer)
      }
    }
  }
}
