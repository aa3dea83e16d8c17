import Hummingbird
import MadangAPI
import MadangCore

/// The routes of an edition: finds the one a request means, fixed segments before parameters.
struct RouteTable: Sendable {
  typealias Handler = @Sendable (Call) async throws -> Response

  struct Match: Sendable {
    let route: MadangAPI.Route
    let handler: Handler
    let parameters: [String: String]
  }

  private struct Entry: Sendable {
    let route: MadangAPI.Route
    let segments: [MadangAPI.Route.Segment]
    let handler: Handler

    func match(_ path: [String]) -> [String: String]? {
      var parameters: [String: String] = [:]
      for (segment, text) in zip(segments, path) {
        switch segment {
        case .literal(let literal): guard literal == text else { return nil }
        case .parameter(let name): parameters[name] = text
        }
      }
      return parameters
    }

    var literals: Int {
      segments.count { if case .literal = $0 { true } else { false } }
    }
  }

  /// By number of segments, those with more fixed segments first.
  private var entries: [Int: [Entry]] = [:]

  /// Every route, for comparison with the API description.
  var routes: [MadangAPI.Route] { entries.values.flatMap { $0.map(\.route) } }

  /// A route that answers an object.
  mutating func on<Answer: Encodable & SendableMetatype>(
    _ endpoint: Endpoint<Answer>, _ body: @escaping @Sendable (Call) async throws -> Answer
  ) {
    respond(to: endpoint) { .json(try WireEncoder.encode(try await body($0))) }
  }

  /// A route that makes its own response.
  mutating func respond<Answer>(to endpoint: Endpoint<Answer>, _ handler: @escaping Handler) {
    let segments = endpoint.route.segments
    let entry = Entry(route: endpoint.route, segments: segments, handler: handler)
    entries[segments.count, default: []].append(entry)
    entries[segments.count]?.sort { $0.literals > $1.literals }
  }

  /// The route of a method and path; nil if either is unknown. A fixed segment wins over a parameter even where its
  /// route has another method.
  func find(_ method: String, _ path: [String]) -> Match? {
    var literals: Int?
    for entry in entries[path.count] ?? [] {
      guard let parameters = entry.match(path) else { continue }
      if literals == nil { literals = entry.literals }
      guard entry.literals == literals else { return nil }
      if entry.route.method.rawValue == method {
        return Match(route: entry.route, handler: entry.handler, parameters: parameters)
      }
    }
    return nil
  }
}
