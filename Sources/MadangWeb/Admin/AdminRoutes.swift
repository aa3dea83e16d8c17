import Hummingbird
import MadangAPI
import MadangServer

/// The calls of the administrator's console, below `/admin/api/`.
struct AdminRoutes: Sendable {
  struct Row: Sendable {
    let method: MadangAPI.Method
    let template: String
    /// Whether it can be called before signing in.
    let isOpen: Bool
    let handler: @Sendable (AdminCall) async throws -> Response
  }

  private var table = RouteTable<Row> { _ in }

  /// Every row, for comparison with the documentation.
  var rows: [Row] { table.rows }

  init(_ add: (inout AdminRoutes) -> Void) { add(&self) }

  func find(_ method: String, _ path: [String]) -> (row: Row, parameters: PathParameters)? { table.find(method, path) }

  /// Adds a call that answers an object.
  /// - Parameter template: Below `/admin/api/`; `{number}` is a parameter.
  mutating func on<Object: Encodable & SendableMetatype>(
    _ method: MadangAPI.Method, _ template: String, open: Bool = false,
    _ body: @escaping @Sendable (AdminCall) async throws -> Object
  ) {
    respond(method, template, open: open) { .json(try WireEncoder.encode(try await body($0))) }
  }

  /// Adds a call that makes its own response.
  mutating func respond(
    _ method: MadangAPI.Method, _ template: String, open: Bool = false,
    _ handler: @escaping @Sendable (AdminCall) async throws -> Response
  ) {
    table.add(
      [method.rawValue], MadangAPI.Route.segments(of: template),
      Row(method: method, template: template, isOpen: open, handler: handler))
  }
}
