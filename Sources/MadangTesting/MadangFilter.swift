import MadangAPI
import MadangDevelopment

/// Selects entries of a journal: all conditions that are set must hold. In texts `*` matches any text.
public struct MadangFilter: Sendable {
  var filter = JournalFilter()

  /// All entries.
  public static let all = MadangFilter()

  /// All requests.
  public static let requests = all.with(\.kind, JournalEntry.Kind.request.rawValue)
  /// All packets of sockets.
  public static let packets = all.with(\.kind, JournalEntry.Kind.packet.rawValue)

  /// Requests for an operation: its `operationId`, or method and path in an edition's OpenAPI document.
  public static func operation(_ name: String) -> MadangFilter { all.with(\.operation, name) }
  /// Packets with a Socket.IO event of this name, in a namespace.
  public static func event(_ name: String, in namespace: String? = nil) -> MadangFilter {
    all.with(\.packet, "event").with(\.event, name).with(\.namespace, namespace)
  }
  /// Packets of a type, with the names that fault rules use: `connect`, `disconnect`, `ping`, ...
  public static func packet(_ type: String, in namespace: String? = nil) -> MadangFilter {
    all.with(\.packet, type).with(\.namespace, namespace)
  }
  /// Notifications for an account's devices; the account by e-mail or the part before its `@`.
  public static func push(to account: String? = nil) -> MadangFilter {
    all.with(\.kind, JournalEntry.Kind.push.rawValue).with(\.account, account)
  }
  /// Socket sessions that were `opened`, `upgraded`, `closed`, or `refused` by a fault.
  public static func connection(_ event: String) -> MadangFilter {
    all.with(\.kind, JournalEntry.Kind.connection.rawValue).with(\.event, event)
  }
  /// Payments that were `recorded`, `credited` or `refused`.
  public static func payment(_ event: String) -> MadangFilter {
    all.with(\.kind, JournalEntry.Kind.payment.rawValue).with(\.event, event)
  }

  /// Mails to an address; the address of an account also by the part before its `@`.
  public static func mail(to address: String? = nil) -> MadangFilter {
    all.with(\.kind, JournalEntry.Kind.mail.rawValue).with(\.account, address)
  }

  /// Restricts the filter to one account, by its e-mail or the part before its `@`.
  public func account(_ email: String) -> MadangFilter { with(\.account, email) }
  /// Restricts the filter to this status.
  public func status(_ status: Int) -> MadangFilter { with(\.status, String(status)) }
  /// Restricts the filter to statuses that match a pattern: `4*`.
  public func status(like pattern: String) -> MadangFilter { with(\.status, pattern) }
  /// Restricts the filter to requests with a key of this edition, and to pushes in its format.
  public func edition(_ edition: EditionName) -> MadangFilter { with(\.edition, edition.rawValue) }
  /// Restricts the filter to this HTTP method.
  public func method(_ method: String) -> MadangFilter { with(\.method, method) }
  /// Restricts the filter to an Engine.IO session, by its id.
  public func session(_ id: String) -> MadangFilter { with(\.session, id) }
  /// Restricts the filter to a transport: `polling` or `websocket`.
  public func transport(_ transport: String) -> MadangFilter { with(\.transport, transport) }
  /// Restricts the filter to a Socket.IO namespace.
  public func namespace(_ namespace: String) -> MadangFilter { with(\.namespace, namespace) }
  /// Restricts the filter to this error code of the contract.
  public func code(_ code: String) -> MadangFilter { with(\.code, code) }
  /// Restricts the filter to a path.
  public func path(_ path: String) -> MadangFilter { with(\.path, path) }
  /// Restricts the filter to entries to which a fault of this kind was applied.
  public func fault(_ kind: String = "*") -> MadangFilter { with(\.fault, kind) }
  /// Restricts the filter to packets that clients sent. With `false`, to packets that the server sent.
  public func fromClient(_ isFromClient: Bool = true) -> MadangFilter {
    with(\.direction, isFromClient ? "fromClient" : "toClient")
  }
  /// Restricts the filter to entries whose body, payload or first argument contains this JSON.
  ///
  /// - Throws: ``MadangTestingError`` if it is not JSON.
  public func body(_ json: String) throws -> MadangFilter { with(\.body, try Self.value(json)) }
  /// Restricts the filter to entries whose answer contains this JSON.
  ///
  /// - Throws: ``MadangTestingError`` if it is not JSON.
  public func answer(_ json: String) throws -> MadangFilter { with(\.answer, try Self.value(json)) }

  /// The filter with the whole e-mail. Throws if no account has it.
  func spelledOut(by people: People) async throws -> JournalFilter {
    var filter = filter
    try await people.spellOut(&filter.account)
    return filter
  }

  private static func value(_ json: String) throws -> JSONValue {
    guard let value = JSONValue(text: json) else {
      throw MadangTestingError(description: "this is not JSON: \(json)")
    }
    return value
  }

  private func with<Value>(_ field: WritableKeyPath<JournalFilter, Value>, _ value: Value) -> MadangFilter {
    var copy = self
    copy.filter[keyPath: field] = value
    return copy
  }
}
