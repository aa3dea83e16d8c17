/// A plain HTTP/1.1 answer, read byte by byte.
package struct HTTPAnswer: Sendable {
  package var status: Int
  package var headers: [String: String]
  package var body: [UInt8]

  package var text: String { String(decoding: body, as: UTF8.self) }
}

extension Wire {
  package func request(
    _ method: String, _ target: String, headers: [(String, String)] = [], body: [UInt8]? = nil
  ) async throws -> HTTPAnswer {
    try await sendRequest(method, target, headers: headers, body: body)
    return try await readAnswer()
  }

  package func sendRequest(
    _ method: String, _ target: String, headers: [(String, String)] = [], body: [UInt8]? = nil
  ) async throws {
    var head = "\(method) \(target) HTTP/1.1\r\n"
    if !headers.contains(where: { $0.0 == "Host" }) { head += "Host: localhost\r\n" }
    for (name, value) in headers { head += "\(name): \(value)\r\n" }
    if let body { head += "Content-Length: \(body.count)\r\n" }
    try await send(Array((head + "\r\n").utf8) + (body ?? []))
  }

  package func readAnswer() async throws -> HTTPAnswer {
    let status = Int(try await readLine().split(separator: " ")[1]) ?? 0
    var headers: [String: String] = [:]
    while case let line = try await readLine(), !line.isEmpty {
      let parts = line.split(separator: ":", maxSplits: 1)
      let value = parts[1].trimmingPrefix(" ").description
      // Repeated fields form one list.
      headers[parts[0].lowercased(), default: ""] += headers[parts[0].lowercased()] == nil ? value : ", \(value)"
    }
    let length = headers["content-length"].flatMap(Int.init) ?? 0
    return HTTPAnswer(status: status, headers: headers, body: try await read(length))
  }
}
