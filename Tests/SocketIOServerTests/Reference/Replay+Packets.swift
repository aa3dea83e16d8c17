import SocketIOProtocol
import SocketIOSupport
import Testing

extension Replay {
  /// Engine.IO packets and WebSocket frames on a WebSocket whose open packet has been read.
  func enginePackets() async throws {
    let long = String(repeating: "x", count: 999_999)
    let probes: [(String, [ProbeFrame])] = [
      ("unknown type 7", [.text("7")]), ("abc", [.text("abc")]), ("empty text frame", [.text("")]),
      ("ping from client", [.text("2")]), ("ping probe from client", [.text("2probe")]),
      ("pong unsolicited", [.text("3")]), ("open from client", [.text("0")]),
      ("upgrade on plain websocket", [.text("5")]), ("noop", [.text("6")]), ("close ", [.text("1")]),
      ("message empty (4)", [.text("4")]), ("ws ping", [.raw(0x89, Array("hi".utf8))]),
      ("ws close 1000", [.raw(0x88, [3, 0xe8])]), ("ws close 4000", [.raw(0x88, [0x0f, 0xa0] + Array("bye".utf8))]),
      ("ws close empty", [.raw(0x88, [])]), ("unmasked frame", [.raw(0x81, Array("40".utf8), isMasked: false)]),
      ("rsv1 set", [.raw(0xc1, Array("40".utf8))]), ("invalid utf-8 text", [.raw(0x81, [0x34, 0xff])]),
      ("fragmented text", [.raw(0x01, Array("4".utf8)), .raw(0x80, Array("0".utf8))]),
      ("continuation without start", [.raw(0x80, Array("40".utf8))]), ("opcode 3", [.raw(0x83, Array("40".utf8))]),
      ("1000001 byte message", [.text("4\(long)x")]), ("1000000 byte message", [.text("4\(long)")]),
    ]
    for (name, frames) in probes { try await probe("engine: \(name)", frames) }
  }

  /// Socket.IO packets before any CONNECT.
  func packetsBeforeConnect() async throws {
    let probes: [(String, String)] = [
      ("event before connect", #"42["echo",1]"#), ("disconnect before connect", "41"),
      ("ack before connect", "431[]"), ("connect unknown namespace ", "40/nope,"),
      ("connect unknown namespace no comma", "40/nope"), ("connect bench no comma", "40/bench"),
      ("connect with slash comma (swift client)", "40/,"), ("connect with slash ", "40/"),
      ("connect with empty payload object", "40{}"), ("connect payload array", "40[]"),
      ("connect payload string", #"40"a""#), ("connect payload number", "401"),
      ("connect payload broken json", "40{"), ("connect payload null", "40null"),
      ("connect bad token", #"40{"token":"bad"}"#), ("connect ns bad token", #"40/bench,{"token":"bad"}"#),
      ("connect ns with query", "40/bench?x=1,"), ("connect dynamic ns", "40/ws-channel-a1,"),
      ("connect ns without slash", "40bench,"), ("connect_error from client", #"44{"message":"x"}"#),
      ("binary frame first", ""), ("type 9", "49"), ("type 7", "47"), ("connect with id", "4012{}"),
    ]
    for (name, packet) in probes {
      try await probe("pre: \(name)", packet.isEmpty ? [.binary(1, 2)] : [.text(packet)])
    }
  }

  /// Socket.IO packets after CONNECT on `/bench`.
  func packetsAfterConnect() async throws {
    for (name, frames) in Self.events + Self.binaries + Self.last {
      let webSocket = try await open()
      _ = await webSocket.text()
      try await webSocket.send("40/bench,")
      for _ in 0..<2 { _ = await webSocket.text() }
      try await messages("sio: \(name)", from: webSocket, frames)
      webSocket.wire.abort()
    }
  }

  private func probe(_ name: String, _ frames: [ProbeFrame]) async throws {
    let webSocket = try await open()
    _ = await webSocket.text()
    try await messages(name, from: webSocket, frames)
    webSocket.wire.abort()
  }

  private static func echo(_ id: Int) -> ProbeFrame { .text(#"42/bench,\#(id)["echo"]"#) }
  private static func event(_ text: String) -> [ProbeFrame] { [.text("42/bench,\(text)")] }
  private static func placeholder(_ number: Int) -> String { #"{"_placeholder":true,"num":\#(number)}"# }
  private static func binary(_ text: String, _ attachments: [ProbeFrame] = [.binary(1, 2)]) -> [ProbeFrame] {
    [.text("45\(text)")] + attachments
  }

  private static let events: [(String, [ProbeFrame])] = [
    ("echo ack", event(#"7["echo",1,"a",null,{"b":[]}]"#)), ("ack id 0", event(#"0["echo"]"#)),
    ("ack id 2^53", event(#"9007199254740992["echo"]"#)),
    ("ack id 30 digits", event(#"123456789012345678901234567890["echo"]"#)),
    ("ack id leading zeros", event(#"007["echo"]"#)), ("ack id negative", event(#"-1["echo"]"#)),
    ("ack id float", event(#"1.5["echo"]"#)), ("duplicate connect", [.text("40/bench,")]),
    ("event payload object", event(#"{"a":1}"#)), ("event empty array", event("[]")),
    ("event no payload", event("")), ("event null payload", event("null")), ("event name number", event("[1,2]")),
    ("event name null", event("[null]")), ("event name array", event("[[1]]")),
    ("reserved connect ", event(#"["connect"]"#)), ("reserved disconnect ", event(#"["disconnect"]"#)),
    ("reserved disconnecting", event(#"["disconnecting"]"#)),
    ("reserved connect_error", event(#"["connect_error"]"#)),
    ("reserved newListener", event(#"["newListener"]"#)), ("event error", event(#"["error","x"]"#)),
    ("event unknown", event(#"["unknown"]"#) + [echo(1)]), ("broken json", event(#"["echo""#)),
    ("trailing garbage", event(#"["echo"]x"#)), ("ack unknown id", [.text("43/bench,99[]"), echo(1)]),
    ("ack no id", [.text("43/bench,[]"), echo(1)]), ("ack payload object", [.text("43/bench,1{}")]),
    ("event other namespace not joined", [.text(#"42["echo"]"#)]),
    ("disconnect then event", [.text("41/bench,")] + event(#"["echo"]"#)),
    ("disconnect with payload", [.text(#"41/bench,{"a":1}"#)]),
    ("disconnect then reconnect", [.text("41/bench,"), .text("40/bench,")]),
  ]

  private static let binaries: [(String, [ProbeFrame])] = [
    ("binary event 1", binary(#"1-/bench,3["echo",\#(placeholder(0))]"#)),
    (
      "binary event 2 reversed",
      binary(#"2-/bench,3["echo",\#(placeholder(1)),\#(placeholder(0))]"#, [.binary(1), .binary(2)])
    ),
    (
      "binary event placeholder reused",
      binary(#"1-/bench,3["echo",\#(placeholder(0)),\#(placeholder(0))]"#, [.binary(1)])
    ),
    ("binary event num out of range", binary(#"1-/bench,3["echo",\#(placeholder(1))]"#)),
    ("binary event num negative", binary(#"1-/bench,3["echo",\#(placeholder(-1))]"#)),
    ("binary event num string", binary(#"1-/bench,3["echo",{"_placeholder":true,"num":"0"}]"#)),
    ("binary event without placeholder", binary(#"1-/bench,3["echo","x"]"#)),
    ("binary 0 attachments ", binary(#"0-/bench,3["echo",1]"#, [])),
    ("binary 0 attachments, then text", binary(#"0-/bench,3["echo",1]"#, [echo(4)])),
    ("binary 10 attachments", binary(#"10-/bench,3["echo"]"#, Array(repeating: .binary(1), count: 10))),
    ("binary 11 attachments", binary(#"11-/bench,3["echo"]"#, [])),
    ("binary no dash", binary(#"1/bench,["echo"]"#, [])), ("binary no count", binary(#"-/bench,["echo"]"#, [])),
    ("binary count letters", binary(#"x-/bench,["echo"]"#, [])),
    ("binary then text", binary(#"1-/bench,3["echo",\#(placeholder(0))]"#, [echo(4)])),
    ("unexpected binary", [.binary(1)]),
    (
      "base64 text frame as attachment (swift upgrade)",
      binary(#"1-/bench,3["echo",\#(placeholder(0))]"#, [.text("bAQIDBA==")])
    ),
    ("placeholder in plain event", event(#"3["echo",\#(placeholder(0))]"#)),
    ("binary ack unknown id", [.text("461-/bench,99[\(placeholder(0))]"), .binary(1), echo(4)]),
  ]

  private static let last: [(String, [ProbeFrame])] = [
    ("connect_error from client", [.text(#"44/bench,{"message":"x"}"#)]), ("bye ", event(#"["bye"]"#)),
    ("bye-all", event(#"["bye-all"]"#)), ("close then message", [.text("1"), echo(1)]),
    ("duplicate keys and unicode escapes", event(#"3["echo","\u00e9\ud83d\ude00",{"a":1,"a":2}]"#)),
    ("lone surrogate escape", event(#"3["echo","\ud800"]"#)),
    ("numbers", event(#"3["echo",1e2,-0,1.0,123456789012345678,0.1]"#)),
    (
      "deep nesting 2000",
      event(#"3["echo",\#(String(repeating: "[", count: 2000))\#(String(repeating: "]", count: 2000))]"#)
    ),
    ("whitespace json", event(#"3[ "echo" , 1 ]"#)),
  ]
}
