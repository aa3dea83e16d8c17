import MadangAPI

/// What an edition calls a request. A class: what is noted of each request holds one, and a copy of all that it has is expensive.
package final class EditionOperation: Hashable, Sendable {
  package let edition: EditionName
  package let route: MadangAPI.Route
  /// In the order in which the edition's routes are made: a hash that costs little.
  private let number: Int

  init(_ edition: EditionName, _ route: MadangAPI.Route, number: Int) {
    (self.edition, self.route, self.number) = (edition, route, number)
  }

  package static func == (one: EditionOperation, other: EditionOperation) -> Bool {
    one.edition == other.edition && one.route == other.route
  }

  package func hash(into hasher: inout Hasher) { hasher.combine(number) }
}
