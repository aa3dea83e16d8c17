import SocketIOProtocol
import SocketIOSupport
import Testing

extension Replay {
  private static let separator = "\u{1e}"

  func pollingSession() async throws {
    var target = try await polling()
    try await http("POST connect", "POST", target, .shown, Array("40".utf8))
    try await joined("poll ", target, .shown)
    try await post("POST 2 packets", target, #"42["echo",1]\#(Self.separator)42["echo",2]"#)
    try await http("poll ", "GET", target)
    try await pending("poll idle", "GET", target)
    for (name, body) in [("POST empty body", ""), ("POST garbage abc", "abc")] {
      try await postThenPoll(name, body)
    }
    target = try await polling(joining: "40")
    let octets = Fields(request: [("Content-Type", "application/octet-stream")])
    try await http("POST octet-stream", "POST", target, octets, [0x34])
    try await http("then poll", "GET", target)
    target = try await polling()
    let json = Fields(request: [("Content-Type", "application/json")])
    try await http("POST application/json content type", "POST", target, json, Array("40".utf8))
    try await joined("then poll", target)
    target = try await polling(joining: "40")
    try await post("POST 1000001 bytes", target, String(repeating: "x", count: 1_000_001))
    try await pending("then poll", "GET", target)
    try await chunked()
    try await postThenPoll("POST trailing separator", "40\(Self.separator)")
    try await postThenPoll("POST ping (wrong direction)", "2")
    for (name, body) in [("POST pong unsolicited", "3"), ("POST noop", "6")] {
      target = try await polling(joining: "40")
      try await post(name, target, body)
      try await pending("then poll", "GET", target)
    }
    target = try await polling(joining: "40")
    try await http("PUT with sid", "PUT", target, Fields(), [])
    try await pending("then poll", "GET", target)
    target = try await polling()
    try await http(
      "GET transport=websocket with polling sid, no upgrade", "GET", target.replacing("polling", with: "websocket"))
    try await post("POST still works", target, "40")
    try await joined("poll ", target)
    try await overlaps()
    try await binaryAndCompressed()
  }

  private func post(_ name: String, _ target: String, _ body: String) async throws {
    try await http(name, "POST", target, Fields(request: [("Content-Type", "text/plain")]), Array(body.utf8))
  }

  private func postThenPoll(_ name: String, _ body: String) async throws {
    let target = try await polling(joining: "40")
    try await post(name, target, body)
    try await http("then poll", "GET", target)
  }

  private func chunked() async throws {
    let target = try await polling()
    let wire = try await Wire.connect(port)
    try await wire.send(
      Array(
        "POST \(target) HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n1\r\n4\r\n1\r\n0\r\n0\r\n\r\n".utf8))
    try saw("POST chunked", text(await within(Self.patience) { try await wire.readAnswer() }))
    try await joined("then poll", target)
  }

  /// Requests that arrive while another request of their session is in progress.
  private func overlaps() async throws {
    var target = try await polling(joining: "40")
    let (first, second) = (try await Wire.connect(port), try await Wire.connect(port))
    try await first.sendRequest("GET", target)
    try await second.sendRequest("GET", target)
    // The server may take either first; that one waits.
    let answers = [try await first.readAnswer(), try await second.readAnswer()].sorted { $0.status > $1.status }
    try saw("second GET while one is pending", text(answers[0]))
    try saw("first GET then", text(answers[1]))
    try await http("then poll", "GET", target)

    var closing: HTTPAnswer?
    var poll: HTTPAnswer?
    // If the server stood still, it may have taken the POST first, and then refused the GET.
    for _ in 0..<20 where poll?.status != 200 {
      target = try await polling(joining: "40")
      let pending = try await Wire.connect(port)
      try await pending.sendRequest("GET", target)
      try await Task.sleep(for: Self.silence)
      closing = try await exchangePost(target, "1")
      poll = await within(Self.patience) { try await pending.readAnswer() }
    }
    try saw("POST close with pending GET", text(closing))
    try saw("pending GET then", text(poll))
    try await http("then poll", "GET", target)

    target = try await polling(joining: "40")
    try await changing(\.sessions) { [target] in
      let wire = try await Wire.connect(port)
      try await wire.sendRequest("GET", target)
      wire.abort()
    }
    try await http("poll after an aborted poll", "GET", target)

    target = try await polling(joining: "40")
    let halfway = try await Wire.connect(port)
    try await halfway.send(Array("POST \(target) HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\n4".utf8))
    // Until the server has received the first POST, others are accepted.
    var answer: HTTPAnswer?
    repeat { answer = try await exchangePost(target, "3") } while answer?.status == 200
    try saw("second POST while one is in flight", text(answer))
    try await http("then poll", "GET", target)
    halfway.abort()
  }

  @discardableResult
  private func exchangePost(_ target: String, _ body: String) async throws -> HTTPAnswer? {
    try await exchange("POST", target, [], Array(body.utf8))
  }

  private func binaryAndCompressed() async throws {
    let target = try await polling(joining: "40")
    let placeholder = #"{"_placeholder":true,"num":0}"#
    try await post("POST binary event", target, #"451-["echo",\#(placeholder)]\#(Self.separator)bAQIDBA=="#)
    try await http("poll ", "GET", target)
    try await exchangePost(target, #"42["echo","\#(String(repeating: "x", count: 2000))"]"#)
    try await http(
      "compressed poll (gzip accepted, body > 1024)", "GET", target,
      Fields(request: [("Accept-Encoding", "gzip")], isShown: true))
  }
}
