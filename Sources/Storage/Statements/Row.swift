import Synchronization

/// One row of a result, with its columns by name. A statement must give each column a distinct name. Reading columns in their order is
/// cheapest.
package struct Row: Sendable {
  let columns: ColumnNames
  /// In the order of the columns.
  package let values: [SQLValue]

  /// The value of a column that is never null.
  ///
  /// Throws `StorageError(.decoding)` that names the column when it is absent, null or of another type.
  package func get<Value: SQLConvertible>(_ column: String, as type: Value.Type = Value.self) throws -> Value {
    let stored = try value(of: column)
    guard let value = Value(sqlValue: stored) else { throw mismatch(column, stored, Value.self) }
    return value
  }

  /// The value of a column that may be null.
  ///
  /// Throws `StorageError(.decoding)` that names the column when it is absent or of another type.
  package func get<Value: SQLConvertible>(_ column: String, as type: Value?.Type = Value?.self) throws -> Value? {
    let stored = try value(of: column)
    guard stored != .null else { return nil }
    guard let value = Value(sqlValue: stored) else { throw mismatch(column, stored, Value.self) }
    return value
  }

  // Overloads for the common types. Generic code is not specialised across modules and looks up its types for each value. Each type needs
  // its optional overload too; otherwise the compiler would take the non-optional one.

  package func get(_ column: String) throws -> Int64 { try get(column, as: Int64.self) }
  package func get(_ column: String) throws -> Int64? { try get(column, as: Int64?.self) }
  package func get(_ column: String) throws -> Int { try get(column, as: Int.self) }
  package func get(_ column: String) throws -> Int? { try get(column, as: Int?.self) }
  package func get(_ column: String) throws -> String { try get(column, as: String.self) }
  package func get(_ column: String) throws -> String? { try get(column, as: String?.self) }

  private func value(of column: String) throws -> SQLValue {
    guard let index = columns.index(of: column) else {
      throw StorageError(.decoding, "no column \(column) among \(columns.names.joined(separator: ", "))")
    }
    return values[index]
  }

  private func mismatch(_ column: String, _ value: SQLValue, _ type: any SQLConvertible.Type) -> StorageError {
    let kind =
      switch value {
      case .null: "null"
      case .integer: "an integer"
      case .real: "a real"
      case .text: "text"
      }
    return StorageError(.decoding, "column \(column) has \(kind), which is not a \(type)")
  }
}

/// The columns of a result, which its rows share.
final class ColumnNames: Sendable {
  let names: [String]
  /// Columns are mostly read in order: the search starts after the column found last, and wraps around.
  private let next = Atomic(0)

  /// - Parameter names: Distinct names.
  init(_ names: [String]) {
    assert(Set(names).count == names.count, "a statement names two columns alike: \(names)")
    self.names = names
  }

  func index(of column: String) -> Int? {
    let next = next.load(ordering: .relaxed)
    guard let index = names[next...].firstIndex(of: column) ?? names[..<next].firstIndex(of: column) else { return nil }
    self.next.store(index + 1, ordering: .relaxed)
    return index
  }
}
