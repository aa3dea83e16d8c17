import Foundation
import MadangAPI
import MadangDevelopment
import MadangServer

/// The faults of a world: rules in the order in which they were added. The first rule that is due applies.
public struct MadangFaults: Sendable {
  let faults: Faults
  let people: People
  let outage: Outage

  /// Adds a rule after the existing ones. All given conditions must hold; without conditions the fault applies to everything that it can
  /// affect. docs/reference/dev.md describes each field.
  ///
  /// - Parameters:
  ///   - operation: An operation's id in the OpenAPI documents, or its method and path.
  ///   - path: The path as it is sent; `*` matches any text.
  ///   - header: Headers of the request and their values; `*` matches any text.
  ///   - body: JSON whose fields the request's JSON has, of at most 64 KiB: `{"content": "Hi"}`.
  ///   - account: An e-mail, or the part before its `@`.
  ///   - packet: A type of Engine.IO or Socket.IO packets.
  ///   - direction: `fromClient` or `toClient`.
  ///   - nth: Only the nth match, from 1.
  ///   - every: Only every second (2), third (3), ... match.
  ///   - probability: The share of matches, 0 to 1, chosen at random. Equal seeds choose equally.
  ///   - times: The highest number of applications.
  ///   - until: The time of the world's clock after which the rule does not apply.
  /// - Returns: The rule's id.
  /// - Throws: ``MadangTestingError``, which names the field and the cure.
  @discardableResult
  public func add(
    _ fault: MadangFault, edition: EditionName? = nil, operation: String? = nil, method: String? = nil,
    path: String? = nil, header: [String: String]? = nil, body: String? = nil, account: String? = nil,
    namespace: String? = nil, event: String? = nil, packet: String? = nil, direction: String? = nil,
    transport: String? = nil, nth: Int? = nil, every: Int? = nil, probability: Double? = nil, seed: UInt64? = nil,
    times: Int? = nil, until: Date? = nil
  ) async throws -> Int {
    let json = body.map { JSONValue(text: $0) ?? .text($0) }
    let match = FaultMatch {
      ($0.edition, $0.operation, $0.method, $0.path) = (edition?.rawValue, operation, method, path)
      ($0.header, $0.body) = (header, json)
      ($0.account, $0.namespace, $0.event, $0.packet) = (account, namespace, event, packet)
      ($0.direction, $0.transport, $0.nth, $0.every) = (direction, transport, nth, every)
      ($0.probability, $0.seed, $0.times) = (probability, seed, times)
      $0.until = until.map { WireDate.string($0.milliseconds) }
    }
    let rule = FaultRule(try fault.effect.get(), match: match)
    return try await MadangTestingError.wording {
      var rule = rule
      try await people.spellOut(&rule.match.account)
      return try await faults.add(rule)
    }
  }

  /// A rule and its counters.
  public struct Rule: Sendable {
    public let id: Int
    /// The kind of its effect, as in docs/reference/dev.md.
    public let kind: String
    /// How many requests or packets matched.
    public let matched: Int
    /// How many times the fault was applied.
    public let applied: Int
  }

  /// The rules, in the order in which they were added.
  public var rules: [Rule] {
    faults.reports.map { Rule(id: $0.id, kind: $0.effect.kind.rawValue, matched: $0.matched, applied: $0.applied) }
  }

  /// Closes all connections and sockets at once, without notice, and accepts none for this long. Data stays.
  /// - Parameter time: In real time, 60 seconds at most.
  public func restart(downFor time: Duration) async { await outage.restart(downFor: min(time, GivenTime.longest)) }

  /// Closes all connections and sockets as ``restart(downFor:)-(Duration)`` does, for a length of time such as `"2s"`.
  /// - Throws: ``MadangTestingError`` for text in a wrong notation, or for more than 60 seconds.
  public func restart(downFor time: String) async throws {
    await restart(downFor: try MadangTime(time).duration(of: "downFor"))
  }

  /// How often a rule was applied; 0 if there is no rule with this id.
  public func count(of id: Int) -> Int { faults.reports.first { $0.id == id }?.applied ?? 0 }

  /// Removes a rule; false if there is no rule with this id.
  @discardableResult
  public func remove(_ id: Int) -> Bool { faults.remove(id) }

  /// Removes all rules.
  public func removeAll() { faults.removeAll() }
}
