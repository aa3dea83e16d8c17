import Logging
import Synchronization

/// Says when the provider stops taking notifications and when it takes them again, once each.
final class PushOutage: Sendable {
  private let logger: Logger
  private let isNow = Mutex(false)

  init(_ logger: Logger) { self.logger = logger }

  func ends() {
    guard isNow.withLock({ exchange(&$0, false) }) else { return }
    logger.notice("notifications are taken again")
  }

  func begins(_ error: any Error) {
    guard !isNow.withLock({ exchange(&$0, true) }) else { return }
    logger.warning(
      "the provider takes no notifications now; they wait for it", metadata: ["error": "\(String(reflecting: error))"])
  }
}

/// Sets a value, and answers what it was.
private func exchange(_ value: inout Bool, _ new: Bool) -> Bool {
  defer { value = new }
  return value
}
