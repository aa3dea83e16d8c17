/// A statement and its bound values.
///
/// A literal is the text; an interpolated value is *bound*, never pasted:
/// `"SELECT * FROM users WHERE email = \(email)"` has the text `... email = $1`. Other SQL is embedded with
/// `\(sql: condition)`, and text that is to be pasted has to say so with `\(raw: "ASC")`.
/// Do not write `$1` by hand: the numbers are given out here.
package struct SQL: Sendable {
  /// What stands around the parameters: always one more than there are parameters.
  private var segments: [String]
  private(set) var parameters: [Parameter]

  struct Parameter: Sendable {
    let value: SQLValue
    let type: SQLType
  }

  private init(segments: [String], parameters: [Parameter]) {
    self.segments = segments
    self.parameters = parameters
  }

  /// `INSERT INTO table (columns) VALUES (...), (...)`. Each row has as many values as there are columns, and there is at least
  /// one row; names are pasted.
  package static func insert(into table: String, _ columns: [Schema.Column], rows: [[SQLValue]]) -> SQL {
    let names = columns.map(\.name).joined(separator: ", ")
    var segments: [String] = []
    for row in rows.indices {
      segments.append(row == 0 ? "INSERT INTO \(table) (\(names)) VALUES (" : "), (")
      segments += columns.dropFirst().map { _ in ", " }
    }
    segments.append(")")
    let parameters = rows.flatMap { row in
      zip(row, columns).map { Parameter(value: $0, type: $1.type) }
    }
    return SQL(segments: segments, parameters: parameters)
  }

  /// The statement with `$1` ... `$n` where the values stand.
  package var text: String {
    guard !parameters.isEmpty else { return segments[0] }
    var text = segments[0]
    text.reserveCapacity(segments.reduce(0) { $0 + $1.utf8.count + 3 })
    for index in parameters.indices {
      text += "$"
      text += String(index + 1)
      text += segments[index + 1]
    }
    return text
  }

  /// The bound values, `$1` first.
  package var values: [SQLValue] { parameters.map(\.value) }

  package static func + (left: SQL, right: SQL) -> SQL {
    var sum = left
    sum.append(right)
    return sum
  }

  private mutating func append(_ other: SQL) {
    segments[segments.count - 1] += other.segments[0]
    segments += other.segments.dropFirst()
    parameters += other.parameters
  }

  private mutating func bind(_ value: SQLValue, _ type: SQLType) {
    parameters.append(Parameter(value: value, type: type))
    segments.append("")
  }
}

extension SQL: ExpressibleByStringInterpolation {
  package init(stringLiteral value: String) {
    self.init(segments: [value], parameters: [])
  }

  package init(stringInterpolation: StringInterpolation) {
    self = stringInterpolation.sql
  }

  package struct StringInterpolation: StringInterpolationProtocol {
    fileprivate var sql = SQL(stringLiteral: "")

    package init(literalCapacity: Int, interpolationCount: Int) {
      sql.segments.reserveCapacity(interpolationCount + 1)
      sql.parameters.reserveCapacity(interpolationCount)
    }

    package mutating func appendLiteral(_ literal: String) {
      sql.segments[sql.segments.count - 1] += literal
    }

    package mutating func appendInterpolation<Value: SQLConvertible>(_ value: Value) {
      sql.bind(value.sqlValue, Value.sqlType)
    }

    package mutating func appendInterpolation<Value: SQLConvertible>(_ value: Value?) {
      sql.bind(value?.sqlValue ?? .null, Value.sqlType)
    }

    /// Each element bound, with commas between: `id IN (\(list: ids))`. An empty list binds one null, which is in no list.
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
  }
}
