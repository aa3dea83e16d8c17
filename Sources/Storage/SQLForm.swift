/// A statement that is used again and again with other values. Its text is put together once, which can cost as much as running it; after
/// that only values are put in.
package struct SQLForm: Sendable {
  /// Stand-ins for the values, by their numbers from 0. Only bind them: do not calculate with them or paste them.
  package struct StandIns: Sendable {
    fileprivate init() {}

    // Far from each other, and from what anybody counts.
    package func integer(_ number: Int) -> Int64 { .min + 1_000_003 * Int64(number + 1) }
    package func text(_ number: Int) -> String { "stand-in \(number)" }
  }

  private let sql: SQL
  private let places: [(parameter: Int, value: Int)]

  /// - Parameters:
  ///   - count: How many values there are, each of which is bound at least once.
  ///   - make: Makes the statement. Called once: whatever else it binds stays the same for everybody.
  package init(values count: Int, _ make: (StandIns) -> SQL) {
    let standIns = StandIns()
    sql = make(standIns)
    places = sql.values.enumerated().compactMap { parameter, value in
      (0..<count).first { value == .integer(standIns.integer($0)) || value == .text(standIns.text($0)) }
        .map { (parameter: parameter, value: $0) }
    }
    precondition(Set(places.map(\.value)).count == count, "a value is not bound: \(sql.text)")
  }

  /// The statement with these values, each of the kind of its stand-in.
  package func filled(_ values: SQLValue...) -> SQL {
    var sql = sql
    for place in places { sql.replaceValue(at: place.parameter, by: values[place.value]) }
    return sql
  }
}
