import Foundation
import HTTPTypes
import MadangAPI
import MadangCore
import MadangServer
import NIOCore
import SocketIOProtocol
import SocketIOServer

extension RawEntry {
  /// The entry as shown.
  ///
  /// - Parameters:
  ///   - start: When the server was made, as uptime in nanoseconds.
  ///   - token: The server's token of development calls, which is masked; empty if it has none.
  ///   - email: The e-mails of account numbers.
  func told(since start: UInt64, token: String = "", _ email: (AccountKey) -> String?) -> JournalEntry {
    let elapsed = Double(begun > start ? begun - start : 0) / 1_000_000
    var entry = JournalEntry(number: number, kind: content.kind, at: WireDate.string(at), elapsed: rounded(elapsed))
    switch content {
    case .request(let request): request.tell(&entry)
    case .connection(let connection): connection.tell(&entry)
    case .packet(let packet):
      packet.tell(&entry)
      entry.account = packet.account.flatMap(email)
    case .push(let push, let key):
      (entry.edition, entry.deviceToken) = (push.edition, push.deviceToken)
      entry.account = email(key)
      entry.tell(payload: push.payload)
    case .payment(let payment):
      (entry.event, entry.payment, entry.merchant) = (payment.event.rawValue, payment.id, payment.merchantID)
      (entry.amount, entry.account, entry.code) = (payment.amount, payment.account, payment.code)
    case .mail(let mail):
      (entry.event, entry.account, entry.subject) = (mail.kind, mail.recipient, mail.subject)
      (entry.language, entry.size) = (mail.language, mail.body.utf8.count)
      let text = Secrets.maskedLinks(mail.body)
      entry.payload = String(decoding: text.utf8.prefix(Journal.maxText), as: UTF8.self)
      entry.truncated = text.utf8.count > Journal.maxText ? true : nil
    }
    if !token.isEmpty { entry.mask(token) }
    return entry
  }
}

/// To microseconds.
private func rounded(_ milliseconds: Double) -> Double { (milliseconds * 1000).rounded() / 1000 }

extension JournalEntry {
  fileprivate mutating func mask(_ token: String) {
    path = path.map { Secrets.masked($0, token: token) }
    query = query.map { Secrets.masked($0, token: token) }
    namespace = namespace.map { Secrets.masked($0, token: token) }
    request?.mask(token)
    answer?.mask(token)
  }

  fileprivate mutating func tell(payload bytes: [UInt8]) {
    size = bytes.count
    payload = Secrets.masked(Array(bytes.prefix(Journal.maxText)))
    truncated = bytes.count > Journal.maxText ? true : nil
  }
}

extension RawRequest {
  fileprivate func tell(_ entry: inout JournalEntry) {
    // By bytes, because a combining mark after a sign makes another character.
    let mark = target.firstIndex(ofByte: UInt8(ascii: "?"))
    entry.path = LinkPage.masked(String(target[..<(mark ?? target.endIndex)]), by: Secrets.mask)
    entry.query = mark.map { Secrets.maskedPairs(String(Substring(target.utf8[target.utf8.index(after: $0)...]))) }
    entry.method = method
    if let operation = operation.map({ Contract.shared.listed[$0] }) {
      (entry.edition, entry.operation) = (operation.edition.rawValue, operation.id)
    }
    (entry.account, entry.fault, entry.status) = (account, fault, status)
    entry.code = RefusalBody.code(status, answerSize, self.answer)
    entry.milliseconds = rounded(Double(nanoseconds) / 1_000_000)
    entry.longPolling = isPolling ? true : nil
    var request = JournalEntry.Message(headers: Secrets.masked(headers.pairs), size: bodySize)
    if isPolling {
      // The announced size, within reason: these bodies are not counted.
      request.size = min(max(0, headers[.contentLength].flatMap { Int($0) } ?? 0), 1 << 40)
    } else if !parts.isEmpty {
      request.parts = parts.map(\.told)
    } else if bodySize > 0, headers[.contentType]?.isFormOrJSON ?? true, !body.isMultipart {
      // Secrets in other types would not be found.
      request.tell(body, of: bodySize)
    }
    entry.request = request
    guard status != nil else {
      entry.size = request.size
      return
    }
    var answer = JournalEntry.Message(headers: Secrets.masked(answerHeaders.pairs), size: answerSize)
    if !self.answer.isEmpty { answer.tell(self.answer, of: answerSize) }
    entry.answer = answer
    entry.size = request.size + answer.size
  }
}

extension HTTPFields {
  fileprivate var pairs: [(name: String, value: String)] { map { ($0.name.rawName, $0.value) } }
}

extension String {
  /// Whether a content type is JSON or a form, in which secrets are found.
  fileprivate var isFormOrJSON: Bool {
    let type = prefix { $0 != ";" }.lowercased().filter { $0 != " " }
    guard !type.hasPrefix("multipart/") else { return false }
    return type.isEmpty || type == "application/x-www-form-urlencoded" || type.hasSuffix("json")
  }
}

extension JournalEntry.Message {
  fileprivate mutating func mask(_ token: String) {
    headers = headers.map {
      .init(name: Secrets.masked($0.name, token: token), value: Secrets.masked($0.value, token: token))
    }
  }

  fileprivate mutating func tell(_ kept: [UInt8], of size: Int) {
    body = Secrets.masked(kept)
    truncated = size > kept.count ? true : nil
  }
}

extension BodyRecord.Part {
  fileprivate var told: JournalEntry.Part {
    let text = text.map { Secrets.isSecret(name) ? Secrets.mask : String(decoding: $0, as: UTF8.self) }
    return .init(name: name, fileName: fileName, size: size, text: text)
  }
}

extension RawConnection {
  fileprivate func tell(_ entry: inout JournalEntry) {
    (entry.session, entry.event, entry.transport) = (session, event, transport.rawValue)
    (entry.reason, entry.fault) = (reason, fault)
    guard event != "closed", let handshake else { return }
    entry.query = Secrets.masked(handshake.query)
    entry.request = .init(headers: Secrets.masked(handshake.headers.pairs), size: 0)
  }
}

extension RawPacket {
  fileprivate func tell(_ entry: inout JournalEntry) {
    (entry.session, entry.transport, entry.direction) = (session, transport.rawValue, direction.rawValue)
    entry.fault = fault
    let socketPacket = packet.socketPacket
    entry.packet = PacketName(packet.kind, socketPacket).rawValue
    entry.namespace = socketPacket.map { Secrets.maskedPairs($0.namespace) }
    entry.event = socketPacket.flatMap(SocketEvent.init)?.name
    entry.ack = socketPacket?.id?.digits
    if packet.isBinary {
      entry.size = packet.size
    } else {
      entry.tell(payload: socketPacket?.payload ?? Array(packet.bytes.dropFirst()))
      entry.size = packet.size
      if entry.payload?.isEmpty ?? false { entry.payload = nil }
    }
  }
}
