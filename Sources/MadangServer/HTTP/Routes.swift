import Hummingbird
import MadangAPI

/// The table of everything that a server answers, except sockets.
///
/// Rows without a key are tried first. The key of a request chooses the rows of an edition.
struct Routes: Sendable {
  /// Operators' endpoints, pages for people and notices of providers.
  let withoutKey: RouteTable<OpenRoute>
  let january2024: EditionRoutes
  let october2024: EditionRoutes

  func of(_ edition: EditionName) -> EditionRoutes {
    switch edition {
    case .january2024: january2024
    case .october2024: october2024
    }
  }
}

/// A row that needs no key.
struct OpenRoute: Sendable {
  enum Kind {
    /// Also answered by the listener for operators only.
    case operators
    /// A page for people.
    case page
    /// A notice that a provider sends.
    case notice
  }

  let kind: Kind
  /// Nil if this server has no such thing: the request is then a call of an edition, or unknown.
  let handler: @Sendable (ReceivedRequest, PathParameters) async throws -> Response?
}

/// A row of an edition: a call of its API. A class, because a copy is expensive.
package final class EditionOperation: Sendable {
  package let edition: EditionName
  /// Method, path and the credentials that the call needs.
  package let route: MadangAPI.Route
  /// Whether a successful answer sets the cookie of sockets. False if caches may keep the answer.
  let setsCookie: Bool
  let handler: Handler

  package typealias Handler = @Sendable (Call) async throws -> Response

  fileprivate init(
    _ edition: EditionName, _ route: MadangAPI.Route, setsCookie: Bool,
    _ handler: @escaping @Sendable (Call) async throws -> Response
  ) {
    (self.edition, self.route, self.setsCookie, self.handler) = (edition, route, setsCookie, handler)
  }
}

extension EditionOperation {
  /// The same operation with another handler around its own.
  package func around(
    _ body: @escaping @Sendable (Call, Handler) async throws -> Response
  ) -> EditionOperation {
    EditionOperation(edition, route, setsCookie: setsCookie) { [handler] in try await body($0, handler) }
  }
}

/// The rows of an edition.
package struct EditionRoutes: Sendable {
  private let edition: EditionName
  private var table = RouteTable<EditionOperation> { _ in }

  /// Every route, for comparison with the API description.
  var routes: [MadangAPI.Route] { table.rows.map(\.route) }

  package init(_ edition: EditionName, _ add: (inout EditionRoutes) -> Void) {
    self.edition = edition
    add(&self)
  }

  package func find(_ method: String, _ path: [String]) -> (row: EditionOperation, parameters: PathParameters)? {
    table.find(method, path)
  }

  /// A route that answers an object.
  package mutating func on<Answer: Encodable & SendableMetatype>(
    _ endpoint: Endpoint<Answer>, _ body: @escaping @Sendable (Call) async throws -> Answer
  ) {
    respond(to: endpoint) { .json(try WireEncoder.encode(try await body($0))) }
  }

  /// A route that answers an object which writes itself.
  mutating func on<Answer: WireObject & SendableMetatype>(
    _ endpoint: Endpoint<Answer>, _ body: @escaping @Sendable (Call) async throws -> Answer
  ) {
    respond(to: endpoint) { .json(WireEncoder.encode(try await body($0))) }
  }

  /// A route that answers nothing.
  mutating func on(_ endpoint: Endpoint<NoContent>, _ body: @escaping @Sendable (Call) async throws -> Void) {
    respond(to: endpoint) { call in
      try await body(call)
      return .nothing
    }
  }

  /// A route that makes its own response.
  package mutating func respond<Answer>(
    to endpoint: Endpoint<Answer>, _ handler: @escaping @Sendable (Call) async throws -> Response
  ) {
    add(endpoint.route, [endpoint.route.method.rawValue], setsCookie: true, handler)
  }

  /// A route that answers the bytes of a file, which caches may keep. It answers HEAD too; the listener leaves the body out.
  mutating func respond(
    to endpoint: Endpoint<FileBytes>, _ handler: @escaping @Sendable (Call) async throws -> Response
  ) {
    add(endpoint.route, [endpoint.route.method.rawValue, "HEAD"], setsCookie: false, handler)
  }

  private mutating func add(
    _ route: MadangAPI.Route, _ methods: [String], setsCookie: Bool,
    _ handler: @escaping @Sendable (Call) async throws -> Response
  ) {
    table.add(methods, route.segments, EditionOperation(edition, route, setsCookie: setsCookie, handler))
  }
}

/// Finds the row for a method and a path. A fixed segment wins over a parameter, even if its row has another method.
package struct RouteTable<Row: Sendable>: Sendable {
  /// A class: each request looks at several, and a copy is expensive.
  private final class Entry: Sendable {
    let methods: [String]
    let segments: [MadangAPI.Route.Segment]
    /// The fixed segments, with their indices.
    private let literals: [(index: Int, text: String)]
    /// 1 for each parameter, 0 for each fixed segment. The first shape that matches a path wins: its fixed segments are further left.
    let shape: [Int]
    let row: Row

    init(_ methods: [String], _ segments: [MadangAPI.Route.Segment], _ row: Row) {
      (self.methods, self.segments, self.row) = (methods, segments, row)
      literals = segments.enumerated().compactMap { index, segment in
        if case .literal(let text) = segment { (index, text) } else { nil }
      }
      shape = segments.map { if case .literal = $0 { 0 } else { 1 } }
    }

    /// Whether the path has all fixed segments, compared by bytes.
    /// - Parameter path: Has as many segments as the row.
    func matches(_ path: [String]) -> Bool { literals.allSatisfy { $0.text.hasBytes(of: path[$0.index]) } }

    func parameters(of path: [String]) -> PathParameters {
      var parameters = PathParameters()
      for (segment, text) in zip(segments, path) {
        if case .parameter(let name) = segment { parameters.add(name, text) }
      }
      return parameters
    }
  }

  /// By number of segments, sorted by shape.
  private var entries: [Int: [Entry]] = [:]

  package init(_ add: (inout RouteTable) -> Void) { add(&self) }

  /// Every row, for comparison with the API description.
  package var rows: [Row] { entries.values.flatMap { $0.map(\.row) } }

  package mutating func add(_ methods: [String], _ segments: [MadangAPI.Route.Segment], _ row: Row) {
    entries[segments.count, default: []].append(Entry(methods, segments, row))
    entries[segments.count]?.sort { $0.shape.lexicographicallyPrecedes($1.shape) }
  }

  /// Nil if the path or the method is unknown.
  package func find(_ method: String, _ path: [String]) -> (row: Row, parameters: PathParameters)? {
    var shape: [Int]?
    for entry in entries[path.count] ?? [] where entry.matches(path) {
      if shape == nil { shape = entry.shape }
      guard entry.shape == shape else { return nil }
      if entry.methods.contains(method) { return (entry.row, entry.parameters(of: path)) }
    }
    return nil
  }
}

/// The values of a path's parameters: so few that a linear search is fastest.
package struct PathParameters: Sendable {
  private var values: [(name: String, text: String)] = []

  fileprivate mutating func add(_ name: String, _ text: String) { values.append((name, text)) }

  package subscript(_ name: String) -> String? { values.first { $0.name == name }?.text }
}

extension String {
  /// Whether both have the same bytes. It does not compare characters, because a client may send some that are expensive to compare.
  fileprivate func hasBytes(of other: String) -> Bool {
    var (mine, others) = (self, other)
    return mine.withUTF8 { mine in others.withUTF8 { mine.elementsEqual($0) } }
  }
}
