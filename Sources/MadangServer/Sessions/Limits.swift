import MadangCore
import MadangOperations

/// The limits of what callers may do, and of what they may hold at a time.
struct Limits: Sendable {
  let calls: CallLimits
  let ledger: Ledger
  let listTurns: ListTurns
  let held: HeldConnects

  init(_ settings: ServerSettings, _ ledger: Ledger, _ clock: Clock) {
    calls = CallLimits(settings.callLimits, clock: clock)
    self.ledger = ledger
    listTurns = ListTurns(places: settings.databaseReaderCount / 2)
    held = HeldConnects(ledger, clock: clock)
  }
}
