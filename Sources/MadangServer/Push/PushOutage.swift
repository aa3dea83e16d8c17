import Logging
import Synchronization

/// Says when the provider stops taking notifications and when it takes them again, once each.
final class PushOutage: Sendable {
  private let logger: Logger
  private let state = Mutex(false)

  init(_ logger: Logger) { self.logger = logger }

  var isNow: Bool { state.withLock(\.self) }

  func ends() {
    guard state.withLock({ exchange(&$0, false) }) else { return }
    logger.notice("notifications are taken again")
  }

  func begins(_ error: any Error) {
    guard !state.withLock({ exchange(&$0, true) }) else { return }
    logger.warning(
      "the provider takes no notifications now; they wait for it", metadata: ["error": "\(String(reflecting: error))"])
  }
}

/// Sets a value, and answers what it was.
private func exchange(_ value: inout Bool, _ new: Bool) -> Bool {
  defer { value = new }
  return value
}
