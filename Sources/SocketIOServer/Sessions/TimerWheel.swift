import SocketIOProtocol

/// An object with a deadline.
protocol TimerWheelEntry: AnyObject {
  /// The entry's position on the wheel; owned by the wheel.
  var timerPlace: TimerWheel.Place? { get set }
  /// When `timerFired` is due. It may become later without notice to the wheel.
  var timerDeadline: Milliseconds { get }
  func timerFired(at now: Milliseconds)
}

/// The deadlines of all entries of one event loop, in slots of one tick each, so that ten thousand heartbeats need only one timer.
///
/// An entry whose deadline became later is moved only when its old slot is due.
struct TimerWheel {
  struct Place {
    fileprivate var slot: Int
    fileprivate var index: Int
  }

  private static let slotCount = 512

  /// The time between two ticks.
  let tick: Milliseconds
  private var slots: [[any TimerWheelEntry]]
  private var current: Milliseconds
  private(set) var count = 0

  init(tick: Milliseconds, at now: Milliseconds) {
    self.tick = tick
    slots = Array(repeating: [], count: Self.slotCount)
    current = now / tick
  }

  /// The time of the wheel's next turn: a multiple of the tick, however late the last turn was.
  func nextTurn(after now: Milliseconds) -> Milliseconds { (now / tick + 1) * tick }

  mutating func add(_ entry: any TimerWheelEntry) {
    remove(entry)
    // A deadline beyond the wheel's range goes to the last slot, and is added again from there.
    let due = max(current + 1, min((entry.timerDeadline + tick - 1) / tick, current + Milliseconds(Self.slotCount) - 1))
    let slot = Int(due % Milliseconds(Self.slotCount))
    entry.timerPlace = Place(slot: slot, index: slots[slot].count)
    slots[slot].append(entry)
    count += 1
  }

  mutating func remove(_ entry: any TimerWheelEntry) {
    guard let place = entry.timerPlace else { return }
    entry.timerPlace = nil
    let last = slots[place.slot].removeLast()
    if last !== entry {
      slots[place.slot][place.index] = last
      last.timerPlace = place
    }
    count -= 1
  }

  /// Turns the wheel and removes due entries. The caller fires them and adds them again.
  mutating func advance(to now: Milliseconds) -> [any TimerWheelEntry] {
    var due: [any TimerWheelEntry] = []
    let target = now / tick
    // After a long pause every slot is due once.
    current = max(current, target - Milliseconds(Self.slotCount))
    while current < target {
      current += 1
      let slot = Int(current % Milliseconds(Self.slotCount))
      let entries = slots[slot]
      slots[slot] = []
      count -= entries.count
      for entry in entries {
        entry.timerPlace = nil
        if entry.timerDeadline <= now { due.append(entry) } else { add(entry) }
      }
    }
    return due
  }
}
