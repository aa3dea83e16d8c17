/// A statement that is used often with different values. Its text is built once, because building it can cost as much as running it; each
/// use only replaces values.
package struct SQLForm: Sendable {
  /// Placeholders for the values, numbered from 0. Bind them only: do not calculate with them or paste them.
  package struct StandIns: Sendable {
    fileprivate init() {}

    // Far apart, and far from real values.
    package func integer(_ number: Int) -> Int64 { .min + 1_000_003 * Int64(number + 1) }
    package func text(_ number: Int) -> String { "stand-in \(number)" }
  }

  private let sql: SQL
  private let places: [(parameter: Int, value: Int)]

  /// - Parameters:
  ///   - count: The number of values. Each must be bound at least once.
  ///   - make: Builds the statement. It is called once; other values that it binds stay the same for all uses.
  package init(values count: Int, _ make: (StandIns) -> SQL) {
    let standIns = StandIns()
    sql = make(standIns)
    places = sql.values.enumerated().compactMap { parameter, value in
      (0..<count).first { value == .integer(standIns.integer($0)) || value == .text(standIns.text($0)) }
        .map { (parameter: parameter, value: $0) }
    }
    precondition(Set(places.map(\.value)).count == count, "a value is not bound: \(sql.text)")
  }

  /// The statement with these values. Each must be of the type of its placeholder.
  package func filled(_ values: SQLValue...) -> SQL {
    var sql = sql
    for place in places { sql.replaceValue(at: place.parameter, by: values[place.value]) }
    return sql
  }
}
