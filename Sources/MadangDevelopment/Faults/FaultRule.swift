import MadangServer

/// A rule: when something fails, and how.
package struct FaultRule: Encodable, Equatable, Sendable {
  package var match: FaultMatch
  package var effect: FaultEffect

  package init(_ effect: FaultEffect, match: FaultMatch = FaultMatch()) {
    self.match = match
    self.effect = effect
  }
}

/// The requests or packets that a fault applies to, and when. Without fields it matches all of them.
package struct FaultMatch: Codable, Equatable, Sendable {
  package enum Field: String, CodingKey, CaseIterable, Sendable {
    case edition, operation, method, path, header, body, account, namespace, event, packet, direction, transport
    case nth, every, probability, seed, times, until
  }

  package typealias CodingKeys = Field

  /// `2024-10` or `2024-01`: the edition of the request's key.
  package var edition: String?
  /// An operation of the OpenAPI documents, by its id or as method and path: `postToChannel`,
  /// `POST /workspaces/{id}/channels/{id}/chats`.
  package var operation: String?
  package var method: String?
  /// The path as sent, without the query; `*` matches any text.
  package var path: String?
  /// Headers of the request, in any case, and their values, in which `*` matches any text.
  package var header: [String: String]?
  /// Fields that the request's JSON has.
  package var body: JSONValue?
  /// An e-mail. For packets: of the account that the namespace admitted, or whose token asks for it.
  package var account: String?
  /// `*` matches any text.
  package var namespace: String?
  /// The name of a Socket.IO event.
  package var event: String?
  /// A type of Engine.IO or Socket.IO.
  package var packet: String?
  /// `fromClient` or `toClient`.
  package var direction: String?
  /// `polling` or `websocket`.
  package var transport: String?
  /// Only the nth match, from 1.
  package var nth: Int?
  /// Only every second (2), third (3), ... match.
  package var every: Int?
  /// The probability with which the fault strikes each of the remaining matches, from 0 to 1.
  package var probability: Double?
  /// The seed of the choice. Equal seeds choose equally.
  package var seed: UInt64?
  /// The largest number of times that it applies.
  package var times: Int?
  /// The moment on the server's clock after which it no longer applies.
  package var until: String?

  package init() {}

  /// With some fields set: `FaultMatch { $0.operation = "postToChannel" }`.
  package init(_ set: (inout FaultMatch) -> Void) { set(&self) }
}

extension FaultMatch {
  /// The given fields that only some effects allow.
  func fields(for target: FaultEffect.Target) -> [Field] {
    var fields: [Field] = []
    func add(_ field: Field, _ isSet: Bool) { if isSet { fields.append(field) } }
    switch target {
    case .request:
      add(.edition, edition != nil)
      add(.operation, operation != nil)
      add(.method, method != nil)
      add(.path, path != nil)
      add(.header, header != nil)
      add(.body, body != nil)
    case .packet:
      add(.namespace, namespace != nil)
      add(.event, event != nil)
      add(.packet, packet != nil)
      add(.direction, direction != nil)
      add(.transport, transport != nil)
    case .opening: break
    }
    return fields
  }
}

// MARK: - From JSON

extension FaultMatch: CallFields {
  package static let names = Field.allCases.map(\.rawValue)
  package static let whole = "a match"
}

extension FaultRule: Decodable {
  private enum Part: String, CodingKey, CaseIterable {
    case match, effect
  }

  /// - Throws: `BadCall` for an unknown field.
  package init(from decoder: any Decoder) throws {
    try decoder.refuseFields(besides: Part.allCases.map(\.rawValue), of: "a rule")
    let parts = try decoder.container(keyedBy: Part.self)
    guard parts.contains(.effect) else {
      throw BadCall("effect: is missing; a rule is {\"match\": {...}, \"effect\": {\"kind\": ...}}")
    }
    effect = try parts.decode(KnownFields<FaultEffect>.self, forKey: .effect).fields
    match = try parts.decodeIfPresent(KnownFields<FaultMatch>.self, forKey: .match)?.fields ?? FaultMatch()
  }
}
