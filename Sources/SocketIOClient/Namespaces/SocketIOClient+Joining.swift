import SocketIOProtocol

extension SocketIOClient {
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
    transmit(packet.messages)
  }

  private func join(_ namespace: String, _ make: @escaping Credentials) {
    guard let id = connection?.id, connection?.credentials[namespace] == nil else { return }
    // Unstructured: it is cancelled with the connection.
    connection?.credentials[namespace] = Task {
      let credentials: Result<[UInt8], any Error>
      do { credentials = .success(try await make()) } catch { credentials = .failure(error) }
      guard connection?.id == id else { return }
      connection?.credentials[namespace] = nil
      switch credentials {
      case .success(let auth): join(namespace, auth)
      case .failure(let error):
        refused(namespace, Refusal(message: "no credentials: \(error)"))
      }
    }
  }
}
