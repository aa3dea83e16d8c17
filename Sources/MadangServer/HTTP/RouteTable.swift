import Hummingbird
import MadangAPI
import MadangCore

/// The routes of an edition: finds the one a request means, fixed segments before parameters.
struct RouteTable: Sendable {
  typealias Handler = @Sendable (Call) async throws -> Response

  struct Match: Sendable {
    let operation: EditionOperation
    let handler: Handler
    let parameters: PathParameters

    var route: MadangAPI.Route { operation.route }
  }

  /// A class: each request looks at several, and a copy is expensive.
  private final class Entry: Sendable {
    let operation: EditionOperation
    let segments: [MadangAPI.Route.Segment]
    /// Of the segments, those that are fixed, with their places.
    private let literals: [(place: Int, text: String)]
    /// Where the template has parameters. Of two shapes that match a path, the one that comes first wins: it has its
    /// fixed segments further left.
    let shape: [Int]
    let handler: Handler
    private let answersHead: Bool

    init(_ operation: EditionOperation, answersHead: Bool, _ handler: @escaping Handler) {
      self.operation = operation
      self.answersHead = answersHead
      segments = operation.route.segments
      literals = segments.enumerated().compactMap { place, segment in
        if case .literal(let text) = segment { (place, text) } else { nil }
      }
      shape = segments.map { if case .literal = $0 { 0 } else { 1 } }
      self.handler = handler
    }

    /// Whether the path has all fixed segments, compared by bytes.
    /// - Parameter path: Has as many segments as the route.
    func matches(_ path: [String]) -> Bool { literals.allSatisfy { $0.text.hasBytes(of: path[$0.place]) } }

    func answers(_ method: String) -> Bool {
      operation.route.method.rawValue == method || answersHead && method == "HEAD"
    }

    func parameters(of path: [String]) -> PathParameters {
      var parameters = PathParameters()
      for (segment, text) in zip(segments, path) {
        if case .parameter(let name) = segment { parameters.add(name, text) }
      }
      return parameters
    }
  }

  private let edition: EditionName
  /// By number of segments. Of two, the one with its first fixed segment further left comes first.
  private var entries: [Int: [Entry]] = [:]

  /// Every route, for comparison with the API description.
  var routes: [MadangAPI.Route] { entries.values.flatMap { $0.map(\.operation.route) } }

  init(of edition: EditionName) { self.edition = edition }

  /// A route that answers an object.
  mutating func on<Answer: Encodable & SendableMetatype>(
    _ endpoint: Endpoint<Answer>, _ body: @escaping @Sendable (Call) async throws -> Answer
  ) {
    respond(to: endpoint) { $0.json(try WireEncoder.encode(try await body($0))) }
  }

  /// A route that answers an object which writes itself.
  mutating func on<Answer: WireObject & SendableMetatype>(
    _ endpoint: Endpoint<Answer>, _ body: @escaping @Sendable (Call) async throws -> Answer
  ) {
    respond(to: endpoint) { $0.json(WireEncoder.encode(try await body($0))) }
  }

  /// A route that answers nothing.
  mutating func on(_ endpoint: Endpoint<NoContent>, _ body: @escaping @Sendable (Call) async throws -> Void) {
    respond(to: endpoint) { call in
      try await body(call)
      return .nothing
    }
  }

  /// A route that makes its own response.
  /// - Parameter answersHead: Whether HEAD is answered as GET is; the listener leaves the body out. Elsewhere it is no route.
  mutating func respond<Answer>(
    to endpoint: Endpoint<Answer>, answersHead: Bool = false, _ handler: @escaping Handler
  ) {
    let entry = Entry(EditionOperation(edition, endpoint.route), answersHead: answersHead, handler)
    entries[entry.segments.count, default: []].append(entry)
    entries[entry.segments.count]?.sort { $0.shape.lexicographicallyPrecedes($1.shape) }
  }

  /// The route of a method and path; nil if either is unknown. A fixed segment wins over a parameter even where its
  /// route has another method.
  func find(_ method: String, _ path: [String]) -> Match? {
    var shape: [Int]?
    for entry in entries[path.count] ?? [] {
      guard entry.matches(path) else { continue }
      if shape == nil { shape = entry.shape }
      guard entry.shape == shape else { return nil }
      if entry.answers(method) {
        return Match(operation: entry.operation, handler: entry.handler, parameters: entry.parameters(of: path))
      }
    }
    return nil
  }
}

/// What a path has where its route's template has parameters: so few that they are looked through.
struct PathParameters: Sendable {
  private var values: [(name: String, text: String)] = []

  fileprivate mutating func add(_ name: String, _ text: String) { values.append((name, text)) }

  subscript(_ name: String) -> String? { values.first { $0.name == name }?.text }
}

extension String {
  /// Whether both have the same bytes. It does not compare characters, because a client may send some that are expensive to compare.
  fileprivate func hasBytes(of other: String) -> Bool {
    var (mine, others) = (self, other)
    return mine.withUTF8 { mine in others.withUTF8 { mine.elementsEqual($0) } }
  }
}
