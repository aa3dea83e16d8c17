import MadangAPI
import MadangDevelopment

/// Which entries of a journal are meant: those for which all that is set holds. In texts `*` stands for any text.
public struct MadangFilter: Sendable {
  var filter = JournalFilter()

  /// All entries.
  public static let all = MadangFilter()

  /// All requests.
  public static let requests = all.with(\.kind, JournalEntry.Kind.request.rawValue)
  /// All packets of sockets.
  public static let packets = all.with(\.kind, JournalEntry.Kind.packet.rawValue)

  /// Requests for an operation: its `operationId`, or method and path of an edition's OpenAPI document.
  public static func operation(_ name: String) -> MadangFilter { all.with(\.operation, name) }
  /// Packets with a Socket.IO event of this name, in a namespace.
  public static func event(_ name: String, in namespace: String? = nil) -> MadangFilter {
    all.with(\.packet, "event").with(\.event, name).with(\.namespace, namespace)
  }
  /// Packets of a type, as in rules for faults: `connect`, `disconnect`, `ping`, ...
  public static func packet(_ type: String, in namespace: String? = nil) -> MadangFilter {
    all.with(\.packet, type).with(\.namespace, namespace)
  }
  /// Notifications for a person's devices; the person by e-mail or what is before its `@`.
  public static func push(to account: String? = nil) -> MadangFilter {
    all.with(\.kind, JournalEntry.Kind.push.rawValue).with(\.account, account)
  }
  /// Sessions of sockets that were `opened`, `upgraded`, `closed`, or `refused` by a fault.
  public static func connection(_ event: String) -> MadangFilter {
    all.with(\.kind, JournalEntry.Kind.connection.rawValue).with(\.event, event)
  }
  /// Payments that were `recorded`, `credited` or `refused`.
  public static func payment(_ event: String) -> MadangFilter {
    all.with(\.kind, JournalEntry.Kind.payment.rawValue).with(\.event, event)
  }

  /// Of these only those of one account, by its e-mail or what is before its `@`.
  public func account(_ email: String) -> MadangFilter { with(\.account, email) }
  /// Of these only those with this status.
  public func status(_ status: Int) -> MadangFilter { with(\.status, String(status)) }
  /// Of these only those with a status like this: `4*`.
  public func status(like pattern: String) -> MadangFilter { with(\.status, pattern) }
  /// Of these only those with a key of this edition; of pushes, in its form.
  public func edition(_ edition: EditionName) -> MadangFilter { with(\.edition, edition.rawValue) }
  /// Of these only those with this HTTP method.
  public func method(_ method: String) -> MadangFilter { with(\.method, method) }
  /// Of these only those of an Engine.IO session, by its id.
  public func session(_ id: String) -> MadangFilter { with(\.session, id) }
  /// Of these only those over `polling` or `websocket`.
  public func transport(_ transport: String) -> MadangFilter { with(\.transport, transport) }
  /// Of these only those of a Socket.IO namespace.
  public func namespace(_ namespace: String) -> MadangFilter { with(\.namespace, namespace) }
  /// Of these only those with this error code of the contract.
  public func code(_ code: String) -> MadangFilter { with(\.code, code) }
  /// Of these only those of a path.
  public func path(_ path: String) -> MadangFilter { with(\.path, path) }
  /// Of these only those to which an effect of faults happened.
  public func fault(_ kind: String = "*") -> MadangFilter { with(\.fault, kind) }
  /// Of these only those that a client sent, or that it was sent.
  public func fromClient(_ isFromClient: Bool = true) -> MadangFilter {
    with(\.direction, isFromClient ? "fromClient" : "toClient")
  }
  /// Of these only those whose body, payload or first argument has this JSON, besides what else it has.
  ///
  /// - Throws: ``MadangTestingError`` if it is no JSON.
  public func body(_ json: String) throws -> MadangFilter { with(\.body, try Self.value(json)) }
  /// Of these only those whose answer has this JSON, besides what else it has.
  ///
  /// - Throws: ``MadangTestingError`` if it is no JSON.
  public func answer(_ json: String) throws -> MadangFilter { with(\.answer, try Self.value(json)) }

  /// With the whole e-mail. Throws if nobody has it.
  func spelledOut(by people: People) async throws -> JournalFilter {
    var filter = filter
    try await people.spellOut(&filter.account)
    return filter
  }

  private static func value(_ json: String) throws -> JSONValue {
    guard let value = JSONValue(text: json) else {
      throw MadangTestingError(description: "this is no JSON: \(json)")
    }
    return value
  }

  private func with<Value>(_ field: WritableKeyPath<JournalFilter, Value>, _ value: Value) -> MadangFilter {
    var copy = self
    copy.filter[keyPath: field] = value
    return copy
  }
}
