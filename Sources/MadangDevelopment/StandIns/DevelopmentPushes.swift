import MadangAPI
import MadangCore
import Synchronization

/// Keeps the latest notifications instead of sending them (`GET /_dev/pushes?after=ID`).
final class DevelopmentPushes: PushSender {
  private static let limit = 10_000

  struct State: Sendable {
    var kept: [(id: Int, notification: PushNotification)] = []
    var last = 0
  }

  private let state = Mutex(State())
  private let arrivals = Arrivals()
  private let observe: @Sendable (Occurrence) -> Void

  init(_ observe: @escaping @Sendable (Occurrence) -> Void) { self.observe = observe }

  func send(_ notification: PushNotification, isTrial: Bool) {
    guard !isTrial else { return }
    let device = notification.device
    state.withLock { state in
      // Within the lock: who waits for it in the journal then finds it in the list.
      observe(
        .push(
          .init(
            account: device.person, deviceToken: device.token, edition: device.edition, payload: notification.payload)))
      state.last += 1
      state.kept.append((state.last, notification))
      if state.kept.count > Self.limit { state.kept.removeFirst(Self.limit / 2) }
    }
    arrivals.arrived()
  }

  /// The notifications as stored in snapshots.
  var kept: State {
    get { state.withLock(\.self) }
    set { state.withLock { $0 = newValue } }
  }

  /// The notifications after this id, oldest first.
  func after(_ id: Int) -> [(id: Int, notification: PushNotification)] { kept.kept.filter { $0.id > id } }

  private struct Head: Encodable {
    let id: Int
    let deviceToken: String
    let edition: String
  }

  /// JSON of the notifications after this id, oldest first, as soon as there are enough or the time is over.
  func list(after id: Int, _ count: Int = 0, within time: Duration = .zero) async -> [UInt8] {
    let items = await arrivals.list(of: count, within: time) { after(id) }
    var json: [UInt8] = [UInt8(ascii: "[")]
    for (index, item) in items.enumerated() {
      if index > 0 { json.append(UInt8(ascii: ",")) }
      let (id, push) = item
      let head = Head(id: id, deviceToken: push.device.token, edition: push.device.edition)
      // The payload is JSON already and is inserted unchanged.
      json += ((try? WireEncoder.encode(head)) ?? []).dropLast() + Array(#","payload":"#.utf8) + push.payload
      json.append(UInt8(ascii: "}"))
    }
    return json + [UInt8(ascii: "]")]
  }
}
