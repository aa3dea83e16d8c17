import Foundation
import MadangAPI
import MadangDevelopment
import MadangServer

/// The faults of a world: rules in the order in which they were added. The first one that is due happens.
public struct MadangFaults: Sendable {
  let faults: Faults
  let people: People
  let outage: Outage

  /// Adds a rule behind those there are. All that is given must hold; without any of it the fault happens to everything that it can
  /// happen to. docs/reference/dev.md tells what each field is for.
  ///
  /// - Parameters:
  ///   - operation: An operation's id in the OpenAPI documents, or its method and path.
  ///   - path: As it is sent; `*` is any text.
  ///   - account: An e-mail, or what is before its `@`.
  ///   - packet: A type of Engine.IO or Socket.IO packets.
  ///   - direction: `fromClient` or `toClient`.
  ///   - nth: Only the nth that matches, from 1.
  ///   - every: Only every second (2), third (3), ... that matches.
  ///   - probability: So many by chance, 0 to 1. Equal seeds decide equally.
  ///   - times: How often at most.
  ///   - until: The moment of the world's clock after which it happens no more.
  /// - Returns: The rule's id.
  /// - Throws: ``MadangTestingError``, naming the field and the cure.
  @discardableResult
  public func add(
    _ fault: MadangFault, edition: EditionName? = nil, operation: String? = nil, method: String? = nil,
    path: String? = nil, account: String? = nil, namespace: String? = nil, event: String? = nil, packet: String? = nil,
    direction: String? = nil, transport: String? = nil, nth: Int? = nil, every: Int? = nil, probability: Double? = nil,
    seed: UInt64? = nil, times: Int? = nil, until: Date? = nil
  ) async throws -> Int {
    let match = FaultMatch {
      ($0.edition, $0.operation, $0.method, $0.path) = (edition?.rawValue, operation, method, path)
      ($0.account, $0.namespace, $0.event, $0.packet) = (account, namespace, event, packet)
      ($0.direction, $0.transport, $0.nth, $0.every) = (direction, transport, nth, every)
      ($0.probability, $0.seed, $0.times) = (probability, seed, times)
      $0.until = until.map { WireDate.string($0.milliseconds) }
    }
    let rule = FaultRule(fault.effect, match: match)
    return try await MadangTestingError.wording {
      var rule = rule
      try await people.spellOut(&rule.match.account)
      return try await faults.add(rule)
    }
  }

  /// A rule, and what it has done.
  public struct Rule: Sendable {
    public let id: Int
    /// The kind of its effect, as in docs/reference/dev.md.
    public let kind: String
    /// How many requests or packets it was for.
    public let matched: Int
    /// To how many of those it happened.
    public let applied: Int
  }

  /// The rules, in the order in which they were added.
  public var rules: [Rule] {
    faults.reports.map { Rule(id: $0.id, kind: $0.effect.kind.rawValue, matched: $0.matched, applied: $0.applied) }
  }

  /// Ends all connections and sockets at once, without a word; none can be made for so long. Data stays.
  /// - Parameter time: In real time, 60 seconds at most.
  public func restart(downFor time: Duration) async { await outage.restart(downFor: min(time, .seconds(60))) }

  /// To how many requests or packets a rule has happened; 0 if there is none of this id.
  public func count(of id: Int) -> Int { faults.reports.first { $0.id == id }?.applied ?? 0 }

  /// Removes a rule; false if there is none of this id.
  @discardableResult
  public func remove(_ id: Int) -> Bool { faults.remove(id) }

  /// Removes all rules.
  public func removeAll() { faults.removeAll() }
}
