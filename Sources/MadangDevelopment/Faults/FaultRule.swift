import MadangServer

/// When something goes wrong, and what does.
package struct FaultRule: Encodable, Equatable, Sendable {
  package var match: FaultMatch
  package var effect: FaultEffect

  package init(_ effect: FaultEffect, match: FaultMatch = FaultMatch()) {
    self.match = match
    self.effect = effect
  }
}

/// To what a fault happens, and when. Without any field: to everything its effect can happen to.
package struct FaultMatch: Codable, Equatable, Sendable {
  package enum Field: String, CodingKey, CaseIterable, Sendable {
    case edition, operation, method, path, account, namespace, event, packet, direction, transport
    case nth, every, probability, seed, times, until
  }

  package typealias CodingKeys = Field

  /// `2024-10` or `2024-01`: whose key the request shows.
  package var edition: String?
  /// An operation of the OpenAPI documents, by its id or as method and path: `postToChannel`,
  /// `POST /workspaces/{id}/channels/{id}/chats`.
  package var operation: String?
  package var method: String?
  /// As it is sent, without the query; `*` stands for any text.
  package var path: String?
  /// An e-mail. Of sockets: whose account the room's namespace let in.
  package var account: String?
  /// `*` stands for any text.
  package var namespace: String?
  /// The name of a Socket.IO event.
  package var event: String?
  /// A type of Engine.IO or Socket.IO.
  package var packet: String?
  /// `fromClient` or `toClient`.
  package var direction: String?
  /// `polling` or `websocket`.
  package var transport: String?
  /// Only the nth that matches, from 1.
  package var nth: Int?
  /// Only every second (2), third (3), ... that matches.
  package var every: Int?
  /// Of those, so many by chance: 0 to 1.
  package var probability: Double?
  /// Of the chance. Equal seeds decide equally.
  package var seed: UInt64?
  /// How often it happens at most.
  package var times: Int?
  /// The moment of the server's clock after which it happens no more.
  package var until: String?

  package init() {}

  /// With some fields set: `FaultMatch { $0.operation = "postToChannel" }`.
  package init(_ set: (inout FaultMatch) -> Void) { set(&self) }
}

extension FaultMatch {
  /// The fields for effects on one kind of thing only, if they are set.
  func fields(for target: FaultEffect.Target) -> [Field] {
    var fields: [Field] = []
    func add(_ field: Field, _ isSet: Bool) { if isSet { fields.append(field) } }
    switch target {
    case .request:
      add(.edition, edition != nil)
      add(.operation, operation != nil)
      add(.method, method != nil)
      add(.path, path != nil)
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

extension FaultEffect: CallFields {
  package static let names = Field.allCases.map(\.rawValue)
  package static let whole = "an effect"
}

extension FaultRule: Decodable {
  private enum Part: String, CodingKey, CaseIterable {
    case match, effect
  }

  /// - Throws: `BadCall` for a field that nobody knows.
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
