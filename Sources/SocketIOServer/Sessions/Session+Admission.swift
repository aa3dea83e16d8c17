import Logging
import SocketIOProtocol

/// A client's CONNECT that the application has not answered yet.
struct PendingAdmission {
  let request: ConnectRequest
  /// Distinguishes this CONNECT from an earlier one for the same namespace that may still be undecided.
  let number: Int
  /// The client's claim to a former socket.
  let claim: RecoveryClaim?
  var task: Task<Void, Never>?
}

/// Admission to namespaces.
extension Session {
  func connect(_ namespace: String, _ auth: [UInt8]) {
    guard let rule = core.rule(for: namespace) else {
      core.logUnknown(namespace)
      _ = socketIO.refuse(namespace: namespace)
      return sendRefusal(namespace, message: "Invalid namespace", data: [])
    }
    let configuration = core.configuration
    guard auth.count <= configuration.maxHandshakeBytes,
      auth.count + authBytes <= configuration.maxAuthBytesPerSession
    else {
      _ = socketIO.refuse(namespace: namespace)
      return sendRefusal(namespace, message: "Payload too large", data: [])
    }
    let request = ConnectRequest(namespace: namespace, auth: auth, handshake: handshake, origin: origin)
    let claim = core.recovery == nil ? nil : RecoveryClaim(auth: auth)
    if claim == nil, !rule.handlers.asks { return join(request, SocketData(), rule) }
    admissionNumber += 1
    let pending = PendingAdmission(request: request, number: admissionNumber, claim: claim)
    admissions.append(pending)
    let shards = core.shards
    guard let claim, let recovery = core.recovery, let former = recovery.liveSocket(claim, in: namespace),
      shards.indices.contains(former.shard)
    else {
      return consider(pending, rule)
    }
    // The client returned before its lost connection was noticed: end the former connection first.
    shards[former.shard].run { [shard] formerShard in
      if let session = formerShard.namespaces[namespace]?.socket(former.id)?.session {
        session.catchUp(at: Milliseconds.uptime)
        session.close(.transportClose)
      }
      shard.run { _ in self.consider(pending, rule) }
    }
  }

  /// The bytes of the payloads of sockets and of pending admissions.
  private var authBytes: Int {
    admissions.reduce(sockets.reduce(0) { $0 + $1.auth.count }) { $0 + $1.request.auth.count }
  }

  /// Recovers the socket, asks the application, or joins.
  private func consider(_ pending: PendingAdmission, _ rule: ServerCore.Rule) {
    guard let index = admissions.firstIndex(where: { $0.number == pending.number }) else { return }
    guard rule.handlers.asks else { return decided(pending.number, .accept(), rule) }
    if core.recovery?.settings.skipAdmission ?? false, let restored = restore(pending) {
      admissions.remove(at: index)
      return join(pending.request, restored.socket.data, rule, restored, pending.claim)
    }
    // Unstructured: the session retains it and cancels it.
    admissions[index].task = Task { [shard, core] in
      guard let admission = await rule.handlers.decide(pending.request, core), !Task.isCancelled else { return }
      shard.run { _ in self.decided(pending.number, admission, rule) }
    }
  }

  private func restore(_ pending: PendingAdmission) -> RecoveryState<OutboundMessage>.Restored? {
    guard let claim = pending.claim else { return nil }
    return core.recovery?.restore(claim, in: pending.request.namespace, shard: shard.index)
  }

  private func decided(_ number: Int, _ admission: Admission, _ rule: ServerCore.Rule) {
    guard let index = admissions.firstIndex(where: { $0.number == number }) else { return }
    let pending = admissions.remove(at: index)
    switch admission {
    case .accept(let data):
      let restored = restore(pending)
      let kept = rule.handlers.asks ? nil : restored?.socket.data
      join(pending.request, kept ?? data, rule, restored, pending.claim)
    case .refuse(let message, let data):
      guard socketIO.refuse(namespace: pending.request.namespace) else { return }
      sendRefusal(pending.request.namespace, message: message, data: data)
    }
  }
}
