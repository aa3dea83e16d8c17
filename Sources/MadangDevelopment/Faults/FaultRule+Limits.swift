import HTTPTypes
import MadangAPI
import MadangServer

extension FaultRule {
  /// Limits of the fields of a rule.
  package enum Limits {
    /// Of one delay, and of each part of it.
    package static let milliseconds = 600_000
    /// Of a restart, during which the server is unreachable, even for a call to end it.
    package static let restart = 60_000
    package static let bytes = 1 << 20
    package static let text = 512
    package static let body = 64 * 1024
    package static let copies = 100
    /// How many headers a rule may ask for.
    package static let headers = 16
    /// The longest body of a request that rules look into.
    package static let requestBody = 64 * 1024
    /// Of an upload.
    package static let bytesPerSecond = 1 << 30
    package static let count = 1_000_000_000
    package static let retryAfter = 86_400
  }

  /// - Throws: `BadCall` with the field and its valid values.
  func validate() throws(BadCall) {
    try validateFields()
    try validateEffect()
    try validateMatch()
  }

  private func validateFields() throws(BadCall) {
    let kind = effect.kind
    if let missing = kind.required.first(where: { !effect.fields.contains($0) }) {
      throw BadCall("effect.\(missing.name): is missing; '\(kind.rawValue)' needs it")
    }
    let allowed = kind.required + kind.optional
    if let strange = effect.fields.first(where: { !allowed.contains($0) }) {
      let has = allowed.isEmpty ? "has none" : "has " + allowed.map(\.name).joined(separator: ", ")
      throw BadCall("effect.\(strange.name): is not a field of '\(kind.rawValue)', which \(has)")
    }
    for target in [FaultEffect.Target.request, .packet] where target != kind.target {
      guard let strange = match.fields(for: target).first else { continue }
      let things = target == .request ? "HTTP requests" : "packets of sockets"
      throw BadCall(
        """
        match.\(strange.rawValue): selects \(things), but '\(kind.rawValue)' does not apply to these; leave it out, or choose \
        another effect
        """)
    }
    if kind.target == .opening, match.account != nil {
      throw BadCall("match.account: when a client asks for a WebSocket, its account is not known yet; leave it out")
    }
  }

  private func validateEffect() throws(BadCall) {
    let longest = effect.kind == .restart ? Limits.restart : Limits.milliseconds
    try check("effect.milliseconds", effect.milliseconds, 0...longest)
    try check("effect.jitter", effect.jitter, 0...Limits.milliseconds)
    // A drip of zero bytes would never end.
    try check("effect.bytes", effect.bytes, (effect.kind == .drip ? 1 : 0)...Limits.bytes)
    try check("effect.status", effect.status, (effect.kind == .refuseUpgrade ? 400 : 200)...599)
    try check("effect.retryAfter", effect.retryAfter, 0...Limits.retryAfter)
    try check("effect.bytesPerSecond", effect.bytesPerSecond, 1...Limits.bytesPerSecond)
    try check("effect.count", effect.count, 1...Limits.copies)
    if let code = effect.code, ErrorCode(rawValue: code) == nil {
      throw BadCall("effect.code: a code of the contract, \(ErrorCode.allCases.map(\.rawValue).joined(separator: " "))")
    }
    if effect.code != nil, effect.body != nil {
      throw BadCall("effect.code: is not allowed with 'body'; write the code into the body")
    }
    if let code = effect.closeCode, !((1000...1014).contains(code) && ![1004, 1005, 1006].contains(code)),
      !(3000...4999).contains(code)
    {
      throw BadCall("effect.closeCode: 1000 to 1014 except 1004, 1005 and 1006, or 3000 to 4999")
    }
    try check("effect.body", effect.body, size: Limits.body)
    try check("effect.message", effect.message, size: Limits.text)
    try check("effect.contentType", effect.contentType, size: Limits.text)
    if let type = effect.contentType, type.isEmpty || !type.utf8.allSatisfy({ (0x20...0x7E).contains($0) }) {
      throw BadCall("effect.contentType: visible ASCII characters and spaces")
    }
  }

  private func validateMatch() throws(BadCall) {
    try check("match.nth", match.nth, 1...Limits.count)
    try check("match.every", match.every, 1...Limits.count)
    try check("match.times", match.times, 1...Limits.count)
    if match.nth != nil, match.every != nil {
      throw BadCall("match.every: is not allowed with 'nth'")
    }
    if match.nth != nil, match.times != nil {
      throw BadCall("match.times: is not allowed with 'nth', which applies once")
    }
    if let probability = match.probability, !(probability > 0 && probability <= 1) {
      throw BadCall("match.probability: above 0, and 1 at most")
    }
    if match.seed != nil, match.probability == nil, effect.jitter == nil {
      throw BadCall("match.seed: is only for random rules; add 'probability', or 'jitter' of the effect")
    }
    if let header = match.header {
      guard (1...Limits.headers).contains(header.count) else {
        throw BadCall("match.header: 1 to \(Limits.headers) headers, such as {\"X-Version\": \"1.*\"}")
      }
      for (name, value) in header {
        guard HTTPField.Name(name) != nil else {
          throw BadCall("match.header: '\(BadCall.shortened(name))' is not the name of a header")
        }
        try check("match.header.\(name)", value, size: Limits.text)
      }
    }
    if let body = match.body {
      guard case .object = body else { throw BadCall(#"match.body: an object, such as {"content": "Hi"}"#) }
      try check("match.body", body.words, size: Limits.body)
    }
    if let edition = match.edition { try check("match.edition", edition, of: EditionName.allCases.map(\.rawValue)) }
    if let direction = match.direction { try check("match.direction", direction, of: ["fromClient", "toClient"]) }
    if let transport = match.transport { try check("match.transport", transport, of: ["polling", "websocket"]) }
    if let packet = match.packet { try check("match.packet", packet, of: PacketName.allCases.map(\.rawValue)) }
    try validatePackets()
    try validatePlaces()
    if let event = match.event, match.packet.map({ $0 != PacketName.event.rawValue }) ?? false {
      throw BadCall("match.event: '\(event)' is an event, but 'packet' selects another kind; leave one of them out")
    }
    for (name, text) in [
      ("operation", match.operation), ("method", match.method), ("path", match.path), ("account", match.account),
      ("namespace", match.namespace), ("event", match.event), ("until", match.until),
    ] {
      try check("match.\(name)", text, size: Limits.text)
    }
  }

  /// Refuses rules for packets that do not exist.
  private func validatePackets() throws(BadCall) {
    let packet = match.packet.flatMap(PacketName.init)
    if effect.kind == .refuseNamespace {
      if match.direction == "toClient" {
        throw BadCall("match.direction: only clients ask for namespaces; leave it out, or write fromClient")
      }
      if packet.map({ $0 != .connect && $0 != .message }) ?? false || match.event != nil {
        throw BadCall("match.packet: clients ask for namespaces only with a connect; leave packet and event out")
      }
    }
    guard let packet, !packet.isOfSocketIO, packet != .message else { return }
    if packet == .noop { throw BadCall("match.packet: rules do not apply to a noop, which only ends a poll") }
    if match.namespace != nil {
      throw BadCall("match.namespace: '\(packet.rawValue)' belongs to the connection, not to a namespace; leave it out")
    }
    if match.account != nil {
      throw BadCall(
        "match.account: '\(packet.rawValue)' belongs to the connection, not to an account; leave out this or 'packet'")
    }
    if packet == .open, match.direction == "fromClient" {
      throw BadCall("match.direction: only servers send open packets")
    }
  }

  private func validatePlaces() throws(BadCall) {
    do throws(BadCall) {
      try PatternChecks.check(
        method: match.method, path: match.path, namespace: match.namespace, event: match.event,
        isToClient: match.direction == "toClient")
    } catch { throw BadCall("match.\(error.error)") }
  }

  private func check(_ field: String, _ value: Int?, _ range: ClosedRange<Int>) throws(BadCall) {
    guard let value, !range.contains(value) else { return }
    throw BadCall("\(field): \(range.lowerBound) to \(range.upperBound)")
  }

  private func check(_ field: String, _ text: String?, size: Int) throws(BadCall) {
    if let text, text.utf8.count > size { throw BadCall("\(field): \(size) bytes at most") }
  }

  private func check(_ field: String, _ value: String, of values: [String]) throws(BadCall) {
    if !values.contains(value) { throw BadCall("\(field): one of \(values.joined(separator: ", "))") }
  }
}
