import HTTPTypes
import MadangAPI
import MadangServer
import NIOCore
import SocketIOServer
import Synchronization

/// Counts which parts of the contract clients of a server have touched.
///
/// Safe to share between threads.
package final class Coverage: Sendable {
  fileprivate struct State {
    /// By item of the contract; empty until the first touch, because most of many worlds have none.
    var counts: [Int] = []
    /// By position of a flow.
    var flows: [FlowState] = []
    /// All operations by index. A copy, because reading a global costs each request more.
    var operations: [Contract.Operation] = []

    mutating func makeRoom() {
      guard counts.isEmpty else { return }
      counts = Array(repeating: 0, count: Contract.shared.items.count)
      flows = Array(repeating: FlowState(), count: Contract.shared.flows.count)
      operations = Contract.shared.listed
    }
  }

  fileprivate struct FlowState {
    /// The step that comes next.
    var next = 0
    /// The largest number of steps done so far.
    var furthest = 0
    /// When the event after the next step came early, by uptime in nanoseconds; 0 if it did not.
    var early: UInt64 = 0
  }

  /// What performs a step of a flow.
  fileprivate enum Cause {
    /// When it began, by uptime in nanoseconds.
    case request(begun: UInt64)
    /// An event is early if it comes before the request that caused it is recorded.
    case event(mayBeEarly: Bool)
  }

  private let state = Mutex(State())
  /// The last packet that was counted.
  private let last = Mutex<KeptPacket?>(nil)

  package init() {}

  /// Resets all counts.
  package func clear() { state.withLock { $0 = State() } }

  /// The counts so far.
  package var counts: CoverageCounts {
    state.withLock { state in
      guard !state.counts.isEmpty else { return CoverageCounts() }
      let steps = zip(Contract.shared.flows, state.flows).map { ($0, $1.furthest) }.filter { $1 > 0 }
      return CoverageCounts(state.counts, steps: Dictionary(uniqueKeysWithValues: steps))
    }
  }

  // MARK: Counting

  /// A request has been answered.
  ///
  /// - Parameter index: The index of its operation.
  func count(_ request: FinishedRequest, _ index: Int?, _ known: Exchange.Known) {
    let exchange = request.exchange
    guard let status = request.status, !exchange.isOfSocket else { return }
    guard let index else {
      if let code = request.code { countCommon(code, exchange, known.learned?.edition) }
      return
    }
    guard status == 400 || status == 500 else {
      return update { state in
        let operation = state.operations[index]
        state.counts[operation.item] += 1
        // No operation lists 200.
        if status != 200, let item = operation.touches.codes[String(status)] { state.counts[item] += 1 }
        state.count(operation, exchange, known.learned?.fields)
        for place in operation.places { state.advance(place, by: .request(begun: exchange.begun)) }
      }
    }
    let (operation, code) = (Contract.shared.listed[index], request.code)
    let places =
      code.map { Contract.shared.places(of: .refusal(operation.id, code: $0), in: operation.edition) } ?? []
    update { state in
      if let code,
        let item = operation.touches.codes[code] ?? Contract.shared.commonCodes[operation.edition]?[code]
      {
        state.counts[item] += 1
      }
      state.count(operation, exchange, known.learned?.fields)
      for place in places { state.advance(place, by: .request(begun: exchange.begun)) }
    }
  }

  /// The request is not an operation, or its key belongs to no edition.
  private func countCommon(_ code: String, _ exchange: Exchange, _ edition: EditionName?) {
    var editions = edition.map { Set([$0]) } ?? []
    if editions.isEmpty { editions = Contract.shared.editions(of: exchange.head.method.rawValue, exchange.path) }
    for edition in editions.isEmpty ? Set(EditionName.allCases) : editions {
      if let item = Contract.shared.commonCodes[edition]?[code] { update { $0.counts[item] += 1 } }
    }
  }

  /// Counts a packet. Called on event loops.
  func count(_ packet: KeptPacket, fromClient: Bool) {
    // A broadcast counts once for all its sockets.
    let isKnown = last.withLock { last in
      if last?.isShared(with: packet) ?? false { return true }
      last = packet
      return false
    }
    guard !isKnown, let (event, edition) = ContractEvent.seen(in: packet, fromClient: fromClient) else { return }
    count(event, edition)
  }

  /// Counts a notification to a device.
  func countPush(edition: String) {
    if let edition = EditionName(rawValue: edition) { count(.push, edition) }
  }

  private func count(_ event: ContractEvent, _ edition: EditionName) {
    guard let item = Contract.shared.events[edition]?[event] else { return }
    let places = Contract.shared.places(of: .event(event), in: edition)
    update { state in
      state.counts[item] += 1
      for place in places { state.advance(place, by: .event(mayBeEarly: event.moment == .told)) }
    }
  }

  private func update(_ body: (inout State) -> Void) {
    state.withLock { state in
      state.makeRoom()
      body(&state)
    }
  }
}

extension Coverage.State {
  /// Counts the optional parts that a request had.
  fileprivate mutating func count(_ operation: Contract.Operation, _ exchange: Exchange, _ fields: Fields?) {
    if !operation.touches.fields.isEmpty, let fields {
      for (name, item) in operation.touches.fields where fields.hasValue(of: name) { counts[item] += 1 }
    }
    for (name, item) in operation.touches.queries where exchange.query(name) != nil { counts[item] += 1 }
    for (name, item) in operation.touches.headers where exchange.head.headerFields.contains(name) { counts[item] += 1 }
  }

  /// Advances a flow if this is its next step. Sockets may receive a chat before the answer to its post is recorded; the
  /// event then counts after the request.
  fileprivate mutating func advance(_ place: Contract.FlowPlace, by cause: Coverage.Cause) {
    var flow = flows[place.flow]
    guard place.has(flow.next) else {
      if case .event(mayBeEarly: true) = cause, place.has(flow.next + 1) {
        flows[place.flow].early = NIODeadline.now().uptimeNanoseconds
      }
      return
    }
    flow.next += 1
    if case .request(let begun) = cause, flow.early > begun { flow.next += 1 }
    flow.early = 0
    flow.furthest = max(flow.furthest, flow.next)
    if flow.next == place.length {
      counts[place.item] += 1
      flow.next = 0
    }
    flows[place.flow] = flow
  }
}

extension ContractEvent {
  /// The event of a packet for a room, and the edition by the form of its ids.
  static func seen(in packet: KeptPacket, fromClient: Bool) -> (ContractEvent, EditionName)? {
    let head = packet.prefix(40)
    guard head.count > 2, !packet.isBinary, head[0] == UInt8(ascii: "4") else { return nil }
    let moment: Moment
    switch (head[1], fromClient) {
    case (UInt8(ascii: "0"), false): moment = .joined
    case (UInt8(ascii: "1"), false): moment = .sentAway
    case (UInt8(ascii: "1"), true): moment = .left
    case (UInt8(ascii: "2"), false): moment = .told
    case (UInt8(ascii: "4"), false): moment = .refused
    default: return nil
    }
    let name = head[2...]
    for room in RoomNamespace.Prefix.allCases where name.starts(with: room.rawValue.utf8) {
      let id = name.dropFirst(room.rawValue.utf8.count).prefix { $0 != UInt8(ascii: ",") && $0 != UInt8(ascii: "?") }
      let isNumber = id.allSatisfy { (0x30...0x39).contains($0) }
      return (ContractEvent(room: room, moment: moment), isNumber ? .january2024 : .october2024)
    }
    return nil
  }
}
