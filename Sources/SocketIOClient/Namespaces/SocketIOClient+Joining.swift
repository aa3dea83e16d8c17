import Logging
import SocketIOProtocol

extension SocketIOClient {
  /// A pending call of the application's `Credentials` for one namespace.
  struct Asking {
    /// Lets the task check whether its result is still wanted.
    let number: Int
    let task: Task<Void, Never>
  }

  func join(_ namespace: String) {
    switch memberships[namespace]?.auth {
    case .payload(let auth): join(namespace, auth)
    case .credentials(let make): join(namespace, make)
    case nil: break
    }
  }

  private func join(_ namespace: String, _ auth: [UInt8]) {
    guard memberships[namespace] != nil else { return }
    let payload = claims[namespace]?.added(to: auth) ?? auth
    guard let packet = connection?.socket.connect(namespace, auth: payload) else { return }
    transmit(packet)
  }

  private func join(_ namespace: String, _ make: @escaping Credentials) {
    guard let id = connection?.id, connection?.credentials[namespace] == nil,
      connection?.socket.isAsked(namespace) == false
    else { return }
    feedCount += 1
    let number = feedCount
    // Unstructured: it is cancelled with the connection, and when its membership ends or gets other credentials.
    let task = Task {
      var failures = 0
      while !Task.isCancelled {
        let credentials: Result<[UInt8], any Error>
        do { credentials = .success(try await make()) } catch { credentials = .failure(error) }
        // A task that ignores its cancellation may end late, with credentials for a former membership.
        guard isAsking(number, for: namespace, connection: id) else { return }
        switch credentials {
        case .success(let auth):
          connection?.credentials[namespace] = nil
          return join(namespace, auth)
        case .failure(let error):
          failures += 1
          guard noCredentials(namespace, error) else { return }
        }
        try? await Task.sleep(for: configuration.backoff.delay(after: failures, chance: .random(in: 0...1)))
        guard isAsking(number, for: namespace, connection: id) else { return }
      }
    }
    connection?.credentials[namespace] = Asking(number: number, task: task)
  }

  private func isAsking(_ number: Int, for namespace: String, connection id: Int) -> Bool {
    connection?.id == id && connection?.credentials[namespace]?.number == number
  }

  /// Cancels the pending call: its credentials are no longer wanted.
  func stopAsking(_ namespace: String) {
    connection?.credentials.removeValue(forKey: namespace)?.task.cancel()
  }

  /// The application failed to make credentials. This may be temporary, so only a `connect` that never succeeded ends.
  /// - Returns: Whether to ask again.
  private func noCredentials(_ namespace: String, _ error: any Error) -> Bool {
    logger.warning("no credentials", metadata: ["namespace": "\(namespace)", "reason": "\(error)"])
    let refusal = Refusal(message: "no credentials: \(error)")
    let isAwaited = joining.contains { $0.namespace == namespace }
    settleJoining(namespace, .failure(.refused(refusal)))
    tell(namespace, .refused(refusal))
    if isAwaited, memberships[namespace]?.wasJoined == false { dropUnread(namespace, .refused(refusal)) }
    guard memberships[namespace] != nil else {
      stopAsking(namespace)
      return false
    }
    return true
  }
}
