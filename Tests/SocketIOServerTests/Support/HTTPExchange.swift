/// A plain HTTP/1.1 answer, read byte by byte.
struct HTTPAnswer: Sendable {
  var status: Int
  var headers: [String: String]
  var body: [UInt8]

  var text: String { String(decoding: body, as: UTF8.self) }
}

extension Wire {
  func request(
    _ method: String, _ target: String, headers: [(String, String)] = [], body: [UInt8]? = nil
  ) async throws -> HTTPAnswer {
    try await sendRequest(method, target, headers: headers, body: body)
    return try await readAnswer()
  }

  func sendRequest(
    _ method: String, _ target: String, headers: [(String, String)] = [], body: [UInt8]? = nil
  ) async throws {
    var head = "\(method) \(target) HTTP/1.1\r\nHost: localhost\r\n"
    for (name, value) in headers { head += "\(name): \(value)\r\n" }
    if let body { head += "Content-Length: \(body.count)\r\n" }
    try await send(Array((head + "\r\n").utf8) + (body ?? []))
  }

  func readAnswer() async throws -> HTTPAnswer {
    let status = Int(try await readLine().split(separator: " ")[1]) ?? 0
    var headers: [String: String] = [:]
    while case let line = try await readLine(), !line.isEmpty {
      let parts = line.split(separator: ":", maxSplits: 1)
      let value = parts[1].trimmingPrefix(" ").description
      // Fields that come more than once are one list.
      headers[parts[0].lowercased(), default: ""] += headers[parts[0].lowercased()] == nil ? value : ", \(value)"
    }
    let length = headers["content-length"].flatMap(Int.init) ?? 0
    return HTTPAnswer(status: status, headers: headers, body: try await read(length))
  }
}
