import SocketIOProtocol

/// What an application remembers with a socket: values of its own types, at most one of each type.
///
/// The type of a value is its key. What is remembered nearly always has a type that says what it is (`User`, `Device`), so a
/// key apart would only name it twice; where two values have the same type, wrap one. Reading a value by its type needs no
/// cast and cannot name what nobody sets.
///
/// Values stay on their server, whatever they are. Those of a type that conforms to `SharedSocketData` are shown to the other
/// servers of a cluster as well.
public struct SocketData: Sendable {
  private struct Entry: Sendable {
    let type: ObjectIdentifier
    var value: any Sendable
  }

  /// Few, so a list is smaller than a table, and as quick.
  private var entries: [Entry] = []
  /// The JSON of values that another server showed, by name.
  private(set) var foreign: [String: [UInt8]] = [:]

  /// Data that holds these values; of several of one type the last.
  public init<each Value: Sendable>(_ values: repeat each Value) {
    for value in repeat each values { set(value) }
  }

  /// What another server showed.
  init(foreign: [String: [UInt8]]) { self.foreign = foreign }

  /// The value of this type, if there is one; set `nil` to remove it.
  ///
  /// Of another server's socket it is read from JSON each time: `nil` for a type that is not shared, and for JSON that is no
  /// such value.
  public subscript<Value: Sendable>(type: Value.Type) -> Value? {
    get {
      if let entry = entries.first(where: { $0.type == ObjectIdentifier(type) }) { return entry.value as? Value }
      guard !foreign.isEmpty, let shared = type as? any SharedSocketData.Type,
        let json = foreign[shared.socketDataName]
      else { return nil }
      return (try? ForeignJSON.decode(shared, from: json)) as? Value
    }
    set {
      if let newValue { return set(newValue) }
      entries.removeAll { $0.type == ObjectIdentifier(type) }
      if let shared = type as? any SharedSocketData.Type { foreign[shared.socketDataName] = nil }
    }
  }

  private mutating func set<Value: Sendable>(_ value: Value) {
    let entry = Entry(type: ObjectIdentifier(Value.self), value: value)
    if let index = entries.firstIndex(where: { $0.type == entry.type }) {
      entries[index] = entry
    } else {
      entries.append(entry)
    }
  }

  /// Takes over what the other has.
  mutating func merge(_ other: SocketData) {
    for entry in other.entries {
      entries.removeAll { $0.type == entry.type }
      entries.append(entry)
    }
  }

  /// As other servers are shown it.
  ///
  /// - Parameter failed: Told of values that cannot be encoded, which are left out.
  func shown(failed: (_ name: String, any Error) -> Void) -> SocketData {
    var shown = SocketData(foreign: foreign)
    for entry in entries {
      guard let value = entry.value as? any SharedSocketData else { continue }
      let name = type(of: value).socketDataName
      do { shown.foreign[name] = try JSONText.encoded(value) } catch { failed(name, error) }
    }
    return shown
  }
}

/// A value of a socket's data that the other servers of a cluster are shown, where `sockets(in:)` tells them of the socket.
///
/// It travels as JSON through the adapter: whoever can listen there can read it, so credentials do not belong into it.
public protocol SharedSocketData: Codable, Sendable {
  /// Tells it from other types between servers: a name of your choice, the same on all of them, and another for each type. The
  /// type's own name would not do: that of a private type, or of one in a function, changes from build to build.
  static var socketDataName: String { get }
}
