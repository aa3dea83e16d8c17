import NIOHTTP1
import Synchronization

/// What a proxy does to what passes it, so that one rule of the contract is broken.
struct Fault: Sendable {
  var request: @Sendable (inout ProxyRequest) -> Void = { _ in }
  var answer: @Sendable (ProxyRequest, inout ProxyAnswer) async -> Void = { _, _ in }
  /// The texts a client hears by WebSocket instead of one from the server.
  var heard: @Sendable (String) -> [String] = { [$0] }
  /// The texts a server hears by WebSocket instead of one from the client; nil closes the connection.
  var said: @Sendable (String) -> [String]? = { [$0] }
  /// For what must know whose WebSocket it is: a fault for each one, in place of `heard` and `said`.
  var socket: (@Sendable () -> Fault)?

  static func request(_ change: @escaping @Sendable (inout ProxyRequest) -> Void) -> Fault { Fault(request: change) }

  static func answer(_ change: @escaping @Sendable (ProxyRequest, inout ProxyAnswer) async -> Void) -> Fault {
    Fault(answer: change)
  }

  /// Changes the text of every JSON answer.
  static func text(_ change: @escaping @Sendable (String) -> String) -> Fault {
    .answer { _, answer in if answer.isJSON { answer.text = change(answer.text) } }
  }

  static func heard(_ change: @escaping @Sendable (String) -> [String]) -> Fault { Fault(heard: change) }
}

struct ProxyRequest: Sendable {
  var method: String
  var target: String
  var headers: HTTPHeaders
  var body: [UInt8]

  var text: String { String(decoding: body, as: UTF8.self) }
  /// The target without its query.
  var path: Substring { target.prefix { $0 != "?" } }
  var isPoll: Bool { path == "/socket.io/" }
}

struct ProxyAnswer: Sendable {
  var status: Int
  var headers: HTTPHeaders
  var body: [UInt8]

  var isJSON: Bool { headers.first(name: "Content-Type")?.hasPrefix("application/json") == true }
  var text: String {
    get { String(decoding: body, as: UTF8.self) }
    set { body = Array(newValue.utf8) }
  }

  mutating func refuse(_ code: String) {
    status = 400
    headers.replaceOrAdd(name: "Content-Type", value: "application/json; charset=utf-8")
    text = #"{"errorCode":"\#(code)"}"#
  }
}
