/// The probes whose answers differ from the reference's, with the reason. `docs/reference/socketio-differences.md` explains them to users.
/// it to users.
enum Differences {
  static let table: [String: Difference] = http.merging(webSocket) { $1 }.merging(packets) { $1 }.merging(upgrade) {
    $1
  }

  private static let open = #"0{"sid":"SID","upgrades":["websocket"]\#(limits)"#
  private static let limits = #","pingInterval":25000,"pingTimeout":20000,"maxPayload":1000000}"#
  private static let tooOld = """
    Unsupported protocol version: the client speaks Engine.IO 3 (Socket.IO v2); update it (socket.io-client-swift 16 or \
    later, version .three), or enable EIO3 on the server
    """
  private static let noUpgrade = """
    Bad request: transport=websocket without an Upgrade header; a proxy between client and server has to pass on \
    Upgrade and Connection
    """

  private static let slash = "old Swift clients and proxies drop the last slash of the path"
  private static let cure = "the message names the cause and the cure"
  private static let frame = """
    clients show their users the message of a JSON text frame, and nothing of HTTP text written into a WebSocket
    """
  private static let lossless = "JSON passes through byte by byte: nothing is rounded, merged or escaped anew"

  private static let http: [String: Difference] = [
    "HTTP handshake: no trailing slash": Difference(ours: "200 '\(open)'", why: slash),
    "HTTP handshake: GET ?transport=polling": Difference(
      ours: #"400 '{"code":5,"message":"\#(tooOld)"}'"#, why: cure),
    "HTTP handshake: GET ?EIO=3&transport=polling": Difference(
      ours: #"400 '{"code":5,"message":"\#(tooOld)"}'"#, why: cure),
    "HTTP handshake: GET ?EIO=4&transport=websocket": Difference(
      ours: #"400 '{"code":3,"message":"\#(noUpgrade)"}'"#, why: cure),
    "HTTP handshake: GET ?EIO=4&transport=polling&transport=websocket": Difference(
      ours: #"400 '{"code":3,"message":"\#(noUpgrade)"}'"#, why: cure),
    "HTTP handshake: HEAD handshake": Difference(
      ours: "400 ''", why: "a bad method is answered at once; the reference never answers"),
    "HTTP handshake: websocket upgrade on HTTP/1.0-like GET without headers": Difference(
      ours: #"400 '{"code":3,"message":"\#(noUpgrade)"}'"#, why: cure),
    "polling session: PUT with sid": Difference(
      ours: "405 ''", why: "the method is at fault, not the server"),
    "polling session: GET transport=websocket with polling sid, no upgrade": Difference(
      ours: #"400 '{"code":3,"message":"\#(noUpgrade)"}'"#, why: cure),
  ]

  private static let webSocket: [String: Difference] = [
    "websocket handshake: no EIO": Difference(ours: explained(tooOld), why: frame),
    "websocket handshake: EIO=3": Difference(ours: explained(tooOld), why: frame),
    "websocket handshake: EIO=abc": Difference(ours: explained("Unsupported protocol version"), why: frame),
    "websocket handshake: transport=polling on a websocket upgrade": Difference(
      ours: #"400 "Bad request""#, why: "refused with status and message before the upgrade, not closed after it"),
    "websocket handshake: other path": Difference(
      ours: #"404 """#, why: "the application answers; the reference cuts the connection after a second"),
    "websocket handshake: no trailing slash": Difference(
      ours: "101 " + ReferenceAnswers.text([#"0{"sid":"SID","upgrades":[]\#(limits)"#]), why: slash),
  ]

  private static let upgrade: [String: Difference] = [
    "upgrade: POST after upgrade": Difference(
      ours: "200 'ok'", why: "a client's own upgrade may overtake the POST that joins its namespaces")
  ]

  private static let packets: [String: Difference] = [
    "engine packets on a websocket: engine: close": Difference(
      ours: #"["CLOSE()"]"#, why: "a close packet closes at once; the reference waits for the ping time-out"),
    "socket.io packets after CONNECT on /bench: sio: ack id 30 digits": Difference(
      ours: #"["43/bench,123456789012345678901234567890[]"]"#,
      why: "the acknowledgement carries the number it answers, not a rounded one"),
    "socket.io packets after CONNECT on /bench: sio: binary 0 attachments, then text": Difference(
      ours: #"["43/bench,3[1]", "43/bench,4[]"]"#,
      why: "a packet that announces no attachments is complete; the reference waits for them for ever"),
    "socket.io packets after CONNECT on /bench: sio: close then message": Difference(
      ours: #"["CLOSE()"]"#, why: "a close packet closes at once; what follows it is not read"),
    "socket.io packets after CONNECT on /bench: sio: duplicate keys and unicode escapes": Difference(
      ours: ReferenceAnswers.text([#"43/bench,3["\u00e9\ud83d\ude00",{"a":1,"a":2}]"#]), why: lossless),
    "socket.io packets after CONNECT on /bench: sio: numbers": Difference(
      ours: ReferenceAnswers.text(["43/bench,3[1e2,-0,1.0,123456789012345678,0.1]"]), why: lossless),
  ]

  private static func explained(_ message: String) -> String {
    "101 " + ReferenceAnswers.text([#"{"code":5,"message":"\#(message)"}"#, "CLOSE()"])
  }
}
