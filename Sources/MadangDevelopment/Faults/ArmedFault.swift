import HTTPTypes
import MadangAPI
import MadangServer
import SocketIOProtocol
import SocketIOServer

/// An active rule, with its count of matches and its random state.
struct ArmedFault: Sendable {
  let id: Int
  let rule: FaultRule
  private(set) var matched = 0
  private(set) var applied = 0
  private var random: SeededGenerator
  private let operations: Set<OperationName>?
  private let path: TextPattern?
  private let namespace: TextPattern?
  private let method: String?
  private let headers: [(name: HTTPField.Name, value: TextPattern)]
  private let email: String?
  /// Milliseconds of the server's clock.
  private let until: Int64?

  /// - Throws: `BadCall` with the field and its valid values.
  init(_ id: Int, _ rule: FaultRule) throws(BadCall) {
    try rule.validate()
    self.id = id
    self.rule = rule
    random = SeededGenerator(seed: rule.match.seed ?? 0)
    path = rule.match.path.map(TextPattern.init)
    namespace = rule.match.namespace.map(TextPattern.init)
    method = rule.match.method?.uppercased()
    email = rule.match.account?.lowercased()
    headers = (rule.match.header ?? [:]).compactMap { name, value in
      HTTPField.Name(name).map { ($0, TextPattern(value)) }
    }
    operations = rule.match.operation.map(OperationName.named)
    if operations?.isEmpty ?? false, let name = rule.match.operation {
      throw BadCall("match.operation: \(OperationName.unknown(name, mayHaveStars: false))")
    }
    if let method, let operations, !operations.contains(where: { $0.method == method }) {
      throw BadCall("match.method: '\(rule.match.operation ?? "")' has another method")
    }
    do { until = try Cursor.label(rule.match.until, zoneless: 0) } catch {
      throw BadCall("match.until: a date like 2026-01-31T12:00:00.000Z")
    }
  }

  var needsAccount: Bool { email != nil }
  /// Of a rule for packets.
  var emailOfPackets: String? { rule.effect.kind.target == .packet ? email : nil }

  // MARK: What it happens to

  func matches(_ request: RequestFacts) -> Bool {
    if let method, method != request.method { return false }
    if let path, !path.matches(request.path) { return false }
    if let edition = rule.match.edition, edition != request.operation?.edition.rawValue { return false }
    if let operations {
      guard let operation = request.operation else { return false }
      guard operations.contains(OperationName(operation)) else { return false }
    }
    if let email, email != request.account?.email.lowercased() { return false }
    for (name, pattern) in headers where !request.headers[values: name].contains(where: { pattern.matches($0) }) {
      return false
    }
    if let body = rule.match.body, !(request.body?.contains(body) ?? false) { return false }
    return true
  }

  /// - Parameters:
  ///   - accounts: The numbers of the accounts that rules name.
  ///   - joining: The accounts of clients that ask for a namespace.
  func matches(_ packet: TravellingPacket, _ accounts: [String: Int64], _ joining: JoiningAccounts) -> Bool {
    let match = rule.match
    if let direction = match.direction, direction != packet.direction.rawValue { return false }
    if let transport = match.transport, transport != packet.transport.rawValue { return false }
    guard needsSocketPacket else { return true }
    let (kind, socketPacket) = (packet.kept.kind, packet.kept.socketPacket)
    if let name = match.packet, name != PacketName(kind, socketPacket).rawValue,
      name != PacketName(kind, nil).rawValue
    {
      return false
    }
    if let namespace, !(socketPacket.map { namespace.matches($0.namespace) } ?? false) { return false }
    if let event = match.event, event != socketPacket.flatMap(SocketEvent.init)?.name { return false }
    let data = socketPacket.flatMap { packet.data(in: $0.namespace) }
    if let email {
      guard let account = accounts[email] else { return false }
      let own =
        data.flatMap(MadangServer.account)
        ?? socketPacket.flatMap { joining.account(in: $0.namespace, of: packet.sessionID) }
      guard own == account else { return false }
    }
    switch rule.effect.kind {
    case .refuseNamespace: return socketPacket?.kind == .connect && packet.direction == .fromClient
    case .disconnectNamespace: return data != nil
    default: return true
    }
  }

  private var needsSocketPacket: Bool {
    let match = rule.match
    return match.packet != nil || namespace != nil || match.event != nil || email != nil
      || [.refuseNamespace, .disconnectNamespace].contains(rule.effect.kind)
  }

  // MARK: When it happens

  func isOver(at now: Int64) -> Bool { until.map { now > $0 } ?? false }

  /// Counts a match. Returns whether the rule applies to it.
  mutating func happens() -> Bool {
    matched += 1
    if let nth = rule.match.nth, matched != nth { return false }
    if let every = rule.match.every, !matched.isMultiple(of: every) { return false }
    if let probability = rule.match.probability, Double.random(in: 0..<1, using: &random) >= probability {
      return false
    }
    if let times = rule.match.times, applied >= times { return false }
    applied += 1
    return true
  }

  /// How long the fault takes, jitter included.
  mutating func duration() -> Duration {
    let jitter = rule.effect.jitter.map { Int.random(in: 0...$0, using: &random) } ?? 0
    return .milliseconds((rule.effect.milliseconds ?? 0) + jitter)
  }
}

/// The properties of a request that rules match.
struct RequestFacts: Sendable {
  let method: String
  let path: String
  let operation: EditionOperation?
  let account: Learned.Account?
  let headers: HTTPFields
  /// As JSON, if a rule asks for it.
  let body: JSONValue?
}
