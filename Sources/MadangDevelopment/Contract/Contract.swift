import HTTPTypes
import MadangAPI
import MadangServer
import Synchronization

/// The items of the editions' contract: the content of their OpenAPI documents, events of sockets, and flows.
struct Contract: Sendable {
  enum Section: String, Codable, CaseIterable, Sendable {
    /// Operations that were carried out.
    case operations
    /// Error codes and other statuses by operation; those of every operation count once for an edition.
    case codes
    /// Optional fields, query parameters and header fields that were sent.
    case fields
    /// Events that sockets and devices receive or send.
    case events
    case flows
  }

  struct Item: Sendable {
    let edition: EditionName
    let section: Section
    let name: String
  }

  /// An operation with the numbers of its items. A class, because every request looks one up and copying a large value is
  /// expensive.
  final class Operation: Sendable {
    /// Its index in ``Contract/listed``.
    let index: Int
    let edition: EditionName
    let id: String
    let item: Int
    let touches: Touches
    /// The flows in which its success is a step.
    let places: [FlowPlace]

    fileprivate init(
      _ index: Int, _ edition: EditionName, id: String, item: Int, _ touches: Touches, _ places: [FlowPlace]
    ) {
      (self.index, self.edition, self.id, self.item) = (index, edition, id, item)
      (self.touches, self.places) = (touches, places)
    }
  }

  /// The numbers of an operation's items.
  struct Touches: Sendable {
    /// By code or status.
    fileprivate(set) var codes: [String: Int] = [:]
    fileprivate(set) var fields: [(name: String, item: Int)] = []
    fileprivate(set) var queries: [(name: String, item: Int)] = []
    fileprivate(set) var headers: [(name: HTTPField.Name, item: Int)] = []
  }

  /// The positions of a step in a flow. Positions are bits, because they are looked up for every request.
  struct FlowPlace: Sendable {
    /// The flow's index in ``Contract/flows``.
    let flow: Int
    /// The number of the flow's item.
    let item: Int
    /// How many steps the flow has.
    let length: Int
    private var positions: UInt64 = 0

    fileprivate init(_ flow: Int, item: Int, of step: Flow.Step, in steps: [Flow.Step]) {
      (self.flow, self.item, length) = (flow, item, steps.count)
      for (position, one) in steps.enumerated() where one == step { positions |= 1 << UInt64(position) }
    }

    /// Whether the step is at a position of the flow.
    func has(_ position: Int) -> Bool { positions >> UInt64(position) & 1 == 1 }
  }

  static let shared = Contract()

  private(set) var items: [Item] = []
  private(set) var operations: [OperationName: Operation] = [:]
  /// All operations, by their index.
  private(set) var listed: [Operation] = []
  /// Codes that every operation of an edition may answer.
  private(set) var commonCodes: [EditionName: [String: Int]] = [:]
  private(set) var events: [EditionName: [ContractEvent: Int]] = [:]
  /// The numbers of their items.
  private(set) var flows: [Int] = []
  /// The positions of each step in flows.
  private var places: [EditionName: [Flow.Step: [FlowPlace]]] = [:]

  private init() {
    for edition in EditionName.allCases {
      // The documents are part of the program, and a test reads them.
      let documented = (try? OpenAPIDocument.of(edition.rawValue)).map { read($0, edition) } ?? []
      events[edition] = Dictionary(
        uniqueKeysWithValues: ContractEvent.all.map { ($0, add(edition, .events, $0.name)) })
      for flow in Flow.all[edition] ?? [] {
        precondition(flow.steps.count <= UInt64.bitWidth, "a place in a flow is a bit")
        let item = add(edition, .flows, flow.name)
        for step in Set(flow.steps) {
          let place = FlowPlace(flows.count, item: item, of: step, in: flow.steps)
          places[edition, default: [:]][step, default: []].append(place)
        }
        flows.append(item)
      }
      for (name, id, item, touches) in documented {
        let operation = Operation(
          listed.count, edition, id: id, item: item, touches, places[edition]?[.success(id)] ?? [])
        operations[name] = operation
        listed.append(operation)
      }
    }
  }

  private mutating func add(_ edition: EditionName, _ section: Section, _ name: String) -> Int {
    items.append(Item(edition: edition, section: section, name: name))
    return items.count - 1
  }

  /// Returns the operations with the numbers of their items.
  private mutating func read(_ document: OpenAPIDocument, _ edition: EditionName)
    -> [(OperationName, id: String, item: Int, Touches)]
  {
    let listed = document.paths.flatMap { template, path in
      path.operations.map { method, operation in (OperationName(edition, method, template: template), path, operation) }
    }.sorted { $0.2.operationId < $1.2.operationId }
    let codes = listed.map { document.codes(of: $0.2) }
    let common = codes.dropFirst().reduce(codes.first ?? []) { $0.intersection($1) }
    commonCodes[edition] = Dictionary(
      uniqueKeysWithValues: common.sorted().map { ($0, add(edition, .codes, $0)) })
    return zip(listed, codes).map { place, codes in
      let (name, path, documented) = place
      let id = documented.operationId
      let item = add(edition, .operations, id)
      var touches = Touches()
      let statuses = documented.responses.keys.filter { !["200", "400", "500"].contains($0) }
      for code in codes.subtracting(common).union(statuses).sorted() {
        touches.codes[code] = add(edition, .codes, "\(id) \(code)")
      }
      touches.fields = document.optionalFields(of: documented).sorted().map {
        ($0, add(edition, .fields, "\(id) \($0)"))
      }
      touches.queries = document.optionalParameters(of: documented, at: path, in: "query").map {
        ($0, add(edition, .fields, "\(id) ?\($0)"))
      }
      touches.headers = document.optionalParameters(of: documented, at: path, in: "header").compactMap { name in
        HTTPField.Name(name).map { ($0, add(edition, .fields, "\(id) \(name):")) }
      }
      return (name, id, item, touches)
    }
  }

  /// The index of a route's operation in ``listed``; nil if no document has it.
  static func index(of route: EditionOperation) -> Int? { shared.operations[OperationName(route)]?.index }

  /// The positions of a step in flows.
  func places(of step: Flow.Step, in edition: EditionName) -> [FlowPlace] {
    let places = self.places[edition] ?? [:]
    guard case .refusal(_, let code) = step else { return places[step] ?? [] }
    return (places[step] ?? []) + (places[.refusal("*", code: code)] ?? [])
  }

  /// The editions with an operation of this method and path.
  func editions(of method: String, _ path: some StringProtocol) -> Set<EditionName> {
    let segments = path.split(separator: "/")
    return Set(operations.keys.filter { $0.method == method && $0.matches(segments) }.map(\.edition))
  }
}

/// The contract's events of room sockets and devices.
struct ContractEvent: Hashable, Sendable {
  enum Moment: String, CaseIterable, Sendable {
    /// The server admits a client to a room.
    case joined
    case refused
    /// A client receives a chat.
    case told
    /// A client leaves.
    case left
    /// The server disconnects a client.
    case sentAway = "sent away"
  }

  /// Nil for notifications.
  let room: RoomNamespace.Prefix?
  let moment: Moment

  static let push = ContractEvent(room: nil, moment: .told)

  static let all =
    RoomNamespace.Prefix.allCases.flatMap { room in Moment.allCases.map { ContractEvent(room: room, moment: $0) } } + [
      push
    ]

  var name: String { room.map { "\($0.rawValue) \(moment.rawValue)" } ?? "push" }
}
