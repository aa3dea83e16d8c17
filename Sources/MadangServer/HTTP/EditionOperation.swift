import MadangAPI
import Synchronization

/// What an edition calls a request. A class: what is noted of each request holds one, and a copy of all that it has is expensive.
package final class EditionOperation: Sendable {
  package let edition: EditionName
  package let route: MadangAPI.Route
  /// Where the kit's list of the contract has the operation, noted by the kit so that it need not look for it with every request; -1
  /// until it has.
  package let indexInContract = Atomic(-1)

  init(_ edition: EditionName, _ route: MadangAPI.Route) { (self.edition, self.route) = (edition, route) }
}
