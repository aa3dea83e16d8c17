/// A statement and its bound values.
///
/// A literal is the text; an interpolated value is *bound*, never pasted: `"SELECT * FROM users WHERE email = \(email)"` has the text `...
/// email = $1`. Embed other SQL with `\(sql: condition)`, and paste text with `\(raw: "ASC")`. Do not write `$1` by hand: `SQL` numbers the
/// parameters.
package struct SQL: Sendable {
  /// Does not depend on the values, so it identifies the prepared statement.
  private(set) var template: SQLTemplate
  private(set) var parameters: [Parameter]

  struct Parameter: Sendable {
    let value: SQLValue
    let type: SQLType
  }

  init(template: SQLTemplate, parameters: [Parameter]) {
    self.template = template
    self.parameters = parameters
  }

  /// Ends an INSERT of one row into a table with a numbered `id` (`{{identity}}`). The statement then returns the new row's `id`, or no row
  /// if nothing was inserted. `ON CONFLICT DO UPDATE` and multiple rows fail on SQLite: this avoids its `RETURNING`, which makes a table in
  /// memory for each statement and doubles the cost.
  package static let returningID = SQL(template: .returningID, parameters: [])

  /// The statement for PostgreSQL, with `$1` ... `$n` for the values.
  package var text: String { template.text(for: .postgres) }

  /// The bound values, `$1` first.
  package var values: [SQLValue] { parameters.map(\.value) }

  /// Throws if a text value contains NUL, which PostgreSQL cannot store.
  func refuseNUL() throws(StorageError) {
    for parameter in parameters {
      guard case .text(let value) = parameter.value, value.hasNUL else { continue }
      throw StorageError(.encoding, "a text value contains NUL", sql: text)
    }
  }

  package static func + (left: SQL, right: SQL) -> SQL {
    var sum = left
    sum.append(right)
    return sum
  }

  private mutating func append(_ other: SQL) {
    template.append(other.template)
    parameters += other.parameters
  }

  private mutating func bind(_ value: SQLValue, _ type: SQLType) {
    parameters.append(Parameter(value: value, type: type))
    template.appendMark()
  }
}

extension SQL: ExpressibleByStringInterpolation {
  package init(stringLiteral value: String) {
    self.init(template: SQLTemplate(value), parameters: [])
  }

  package init(stringInterpolation: StringInterpolation) {
    self = stringInterpolation.sql
  }

  package struct StringInterpolation: StringInterpolationProtocol {
    fileprivate var sql = SQL(template: SQLTemplate(), parameters: [])

    /// Leaves room for embedded SQL: statements are built for each call, and growing costs more than the rest.
    package init(literalCapacity: Int, interpolationCount: Int) {
      sql.template.reserveCapacity(literalCapacity + 64 * interpolationCount)
      sql.parameters.reserveCapacity(2 * interpolationCount)
    }

    package mutating func appendLiteral(_ literal: String) {
      sql.template.append(literal)
    }

    package mutating func appendInterpolation<Value: SQLConvertible>(_ value: Value) {
      sql.bind(value.sqlValue, Value.sqlType)
    }

    package mutating func appendInterpolation<Value: SQLConvertible>(_ value: Value?) {
      sql.bind(value?.sqlValue ?? .null, Value.sqlType)
    }

    // Overloads for the common types: generic code is not specialised across modules.

    package mutating func appendInterpolation(_ value: Int64) { sql.bind(.integer(value), .integer) }
    package mutating func appendInterpolation(_ value: String) { sql.bind(.text(value), .text) }

    /// Binds each element, separated by commas: `id IN (\(list: ids))`. An empty list binds one null, which matches nothing.
    package mutating func appendInterpolation<Value: SQLConvertible>(list values: [Value]) {
      guard let first = values.first else { return sql.bind(.null, Value.sqlType) }
      sql.bind(first.sqlValue, Value.sqlType)
      for value in values.dropFirst() {
        appendLiteral(", ")
        sql.bind(value.sqlValue, Value.sqlType)
      }
    }

    package mutating func appendInterpolation(sql other: SQL) {
      sql.append(other)
    }

    package mutating func appendInterpolation(raw text: String) {
      appendLiteral(text)
    }

    package mutating func appendInterpolation(raw text: StaticString) {
      text.withUTF8Buffer { sql.template.append($0) }
    }
  }
}
