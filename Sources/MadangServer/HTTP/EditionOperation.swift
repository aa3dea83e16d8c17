import MadangAPI

/// What an edition calls a request. A class, as a copy of all that it has is expensive.
package final class EditionOperation: Sendable {
  package let edition: EditionName
  package let route: MadangAPI.Route

  init(_ edition: EditionName, _ route: MadangAPI.Route) { (self.edition, self.route) = (edition, route) }
}
