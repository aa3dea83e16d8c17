import SocketIOProtocol

/// An application's data of a socket: values of its own types, at most one of each type.
///
/// The type of a value is its key. The data nearly always has a specific type (`User`, `Device`), so a separate key would only repeat it.
/// If two values have the same type, wrap one. Reading a value by its type needs no cast, and cannot use a misspelled key.
///
/// Values of any type stay on their server. Values of types that conform to `SharedSocketData` are also visible to the other servers of a
/// cluster.
public struct SocketData: Sendable {
  private struct Entry: Sendable {
    let type: ObjectIdentifier
    var value: any Sendable
  }

  /// There are few values, so an array is smaller than a dictionary, and as fast.
  private var entries: [Entry] = []
  /// The JSON of values from another server, by name.
  private(set) var foreign: [String: [UInt8]] = [:]

  /// Data with these values; if several have the same type, the last one.
  public init<each Value: Sendable>(_ values: repeat each Value) {
    for value in repeat each values { set(value) }
  }

  /// Data from another server.
  init(foreign: [String: [UInt8]]) { self.foreign = foreign }

  /// The value of this type, if there is one; set `nil` to remove it.
  ///
  /// For another server's socket it is decoded from JSON each time: `nil` for a type that is not shared, and for JSON that does not decode.
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

  /// Adds the other data's values, which replace values of the same types.
  mutating func merge(_ other: SocketData) {
    for entry in other.entries {
      entries.removeAll { $0.type == entry.type }
      entries.append(entry)
    }
  }

  /// The data in the form for other servers.
  ///
  /// - Parameter failed: Called for values that cannot be encoded and are left out.
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

/// A value of a socket's data that `sockets(in:)` makes visible to the other servers of a cluster.
///
/// It travels as JSON through the adapter. Everyone with access to the adapter can read it, so do not put credentials into it.
public protocol SharedSocketData: Codable, Sendable {
  /// The name that identifies this type between servers: chosen by you, equal on all servers, and distinct for each type. The type's own
  /// name is not suitable: the name of a private type, or of one in a function, changes from build to build.
  static var socketDataName: String { get }
}
