import Foundation
import MadangAPI
import MadangServer

extension Journal {
  /// The requests of some entries, and WebSockets with their packets. Dates are real time.
  ///
  /// - Parameter origin: The server's origin in the client's URLs.
  func har(of entries: [JournalEntry], origin: String) -> HAR {
    let date: (JournalEntry) -> Double = { Double(self.startOfDay) + $0.elapsed }
    let frames = Dictionary(
      grouping: entries.filter { $0.kind == .packet && $0.transport == "websocket" }, by: \.session)
    let told = entries.compactMap { entry -> HAR.Entry? in
      let started = WireDate.string(Int64(date(entry)))
      let isSocket = entry.kind == .connection && entry.transport == "websocket" && entry.event != "closed"
      guard isSocket || entry.kind == .request else { return nil }
      return HAR.Entry(
        startedDateTime: started, time: entry.milliseconds ?? 0,
        request: isSocket ? .init(socket: entry, origin) : .init(entry, origin),
        response: isSocket ? .init(socket: entry) : .init(entry),
        timings: .init(wait: entry.milliseconds ?? 0), number: entry.number,
        resourceType: isSocket ? "websocket" : "fetch",
        messages: isSocket ? (frames[entry.session] ?? []).map { .init($0, at: date($0) / 1000) } : nil,
        comment: entry.fault.map { "fault \($0.rule): \($0.kind)" }, account: entry.account,
        edition: entry.edition, fault: entry.fault?.kind)
    }
    return HAR(log: .init(entries: told))
  }

  /// The archive as JSON.
  package func archive(of entries: [JournalEntry], origin: String) throws -> Data {
    try DevelopmentJSON.encode(har(of: entries, origin: origin))
  }
}

extension HAR.Request {
  fileprivate init(_ entry: JournalEntry, _ origin: String) {
    method = entry.method ?? ""
    url = origin + (entry.path ?? "") + (entry.query.map { "?\($0)" } ?? "")
    headers = HAR.Pair.list(entry.request?.headers)
    queryString = HAR.Pair.query(entry.query)
    bodySize = entry.request?.size ?? 0
    let type = headers.first { $0.name.lowercased() == "content-type" }?.value ?? ""
    if let parts = entry.request?.parts {
      postData = .init(
        mimeType: type, text: nil,
        params: parts.map { .init(name: $0.name, value: $0.text, fileName: $0.fileName) })
    } else {
      postData = entry.request?.body.map { .init(mimeType: type, text: $0, params: nil) }
    }
  }

  fileprivate init(socket entry: JournalEntry, _ origin: String) {
    method = "GET"
    url =
      origin.replacing("http://", with: "ws://", maxReplacements: 1) + "/socket.io/"
      + (entry.query.map { "?\($0)" } ?? "")
    headers = HAR.Pair.list(entry.request?.headers)
    queryString = HAR.Pair.query(entry.query)
    (bodySize, postData) = (0, nil)
  }
}

extension HAR.Answer {
  fileprivate init(_ entry: JournalEntry) {
    status = entry.status ?? 0
    headers = HAR.Pair.list(entry.answer?.headers)
    bodySize = entry.answer?.size ?? 0
    let type = headers.first { $0.name.lowercased() == "content-type" }?.value ?? "x-unknown"
    content = .init(size: bodySize, mimeType: type, text: entry.answer?.body)
  }

  fileprivate init(socket entry: JournalEntry) {
    status = entry.event == "refused" ? 400 : 101
    (headers, bodySize) = ([], 0)
    content = .init(size: 0, mimeType: "x-unknown", text: nil)
  }
}

extension HAR.Pair {
  fileprivate static func list(_ headers: [JournalEntry.Header]?) -> [HAR.Pair] {
    (headers ?? []).map { HAR.Pair(name: $0.name, value: $0.value) }
  }

  fileprivate static func query(_ query: String?) -> [HAR.Pair] {
    (query ?? "").split(separator: "&").map { pair in
      let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      return HAR.Pair(
        name: parts[0].removingPercentEncoding ?? String(parts[0]),
        value: parts.count > 1 ? parts[1].removingPercentEncoding ?? String(parts[1]) : "")
    }
  }
}

extension HAR.SocketMessage {
  fileprivate init(_ entry: JournalEntry, at time: Double) {
    type = entry.direction == "fromClient" ? .send : .receive
    self.time = time
    opcode = entry.isBinary ? 2 : 1
    data = entry.frame
  }
}

extension JournalEntry {
  /// Whether it is an attachment.
  fileprivate var isBinary: Bool { packet == PacketName.message.rawValue && payload == nil }

  /// The packet as in its frame, masked.
  fileprivate var frame: String {
    guard let name = packet.flatMap(PacketName.init), !isBinary else { return "" }
    let space = namespace.map { $0 == "/" ? "" : "\($0)," } ?? ""
    return name.digits + space + (ack ?? "") + (payload ?? "")
  }
}

extension PacketName {
  /// The wire digits of Engine.IO and Socket.IO types.
  fileprivate var digits: String {
    switch self {
    case .open: "0"
    case .close: "1"
    case .ping: "2"
    case .pong: "3"
    case .message: "4"
    case .upgrade: "5"
    case .noop: "6"
    case .connect: "40"
    case .disconnect: "41"
    case .event: "42"
    case .ack: "43"
    case .connectError: "44"
    }
  }
}
