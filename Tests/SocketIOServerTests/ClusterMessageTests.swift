import Fuzzing
import HTTPTypes
import NIOCore
import SocketIOProtocol
import SocketIOSupport
import Testing

@testable import SocketIOServer

@Suite("Messages between servers")
struct ClusterMessageTests {
  private static let sender = SocketIOServer.ServerID(number: .max)
  private static let target = BroadcastTarget(
    namespace: "/chat", rooms: ["red", "방"], except: ["deaf"], isVolatile: true, compress: false)
  private static let arguments = SocketArguments(
    [json(#"{"a":[1,"안녕"]}"#), json("null")], attachments: [[0, 255], []])

  private static func snapshot() throws -> SocketSnapshot {
    SocketSnapshot(
      id: "/chat#x", namespace: "/chat", data: SocketData(foreign: ["n": json("-1")]), transport: .polling,
      rooms: ["red"],
      handshake: Handshake(
        headers: [.userAgent: "x y", .origin: "http://a"], query: QueryString("a=%26%3D&%EA%B0%80=b%20c&EIO=3"),
        remoteAddress: try SocketAddress(ipAddress: "::1", port: 65_535), transport: .webSocket, revision: .v3,
        issued: 1_700_000_000_000))
  }

  private static func all() throws -> [ClusterMessage] {
    [
      .hello, .heartbeat, .goodbye, .broadcast(target, event: "e\"", arguments),
      .ask(7, target, event: "e", arguments, timeout: 5000), .join(["a", "b"], target), .leave([], target),
      .disconnect(target, closingSessions: true), .fetch(.max, target),
      .serverSide(nil, namespace: "/", event: "e", SocketArguments()),
      .serverSide(1, namespace: "/", event: "e", arguments), .reply(1, .sockets([try snapshot()], isLast: false)),
      .reply(2, .asked(["a", "b"], isLast: true)), .reply(3, .acknowledged("a", arguments)),
      .reply(3, .acknowledged("a", nil)), .reply(4, .answered(arguments)), .reply(4, .answered(nil)),
    ]
  }

  @Test("messages decode to what was encoded")
  func roundTrip() throws {
    for message in try Self.all() {
      let bytes = message.encoded(from: Self.sender)
      let (sender, decoded) = try ClusterMessage.decode(bytes)
      #expect(sender == Self.sender)
      // Sets have no order, so the encoded bytes are compared sorted.
      #expect(decoded.encoded(from: sender).sorted() == bytes.sorted())
    }
    guard
      case .broadcast(let target, "e\"", Self.arguments) = try Self.decoded(
        .broadcast(Self.target, event: "e\"", Self.arguments))
    else {
      Issue.record("another message came out")
      return
    }
    #expect(target.rooms == Self.target.rooms && target.except == Self.target.except && target.isVolatile)
    #expect(target.namespace == "/chat" && !target.isLocal && !target.compress)
    for compress in [true, false] {
      guard
        case .leave([], let target) = try Self.decoded(.leave([], .init(namespace: "/", compress: compress)))
      else {
        Issue.record("another message came out")
        return
      }
      #expect(target.compress == compress && !target.isVolatile)
    }
  }

  @Test("messages of the corpus decode, so that fuzzing them goes deep")
  func corpus() throws {
    let corpus = try Fuzzer("cluster").corpus
    #expect(corpus.count > 9)
    for input in corpus { #expect(throws: Never.self) { try ClusterMessage.decode(input) } }
  }

  @Test("a message carries a socket with its client's data, but without its session's id")
  func sockets() throws {
    let sent = try Self.snapshot()
    guard
      case .reply(1, .sockets(let sockets, isLast: true)) = try Self.decoded(.reply(1, .sockets([sent], isLast: true)))
    else {
      Issue.record("another message came out")
      return
    }
    let socket = try #require(sockets.first)
    #expect(socket.id == sent.id && socket.namespace == sent.namespace && socket.data.foreign == sent.data.foreign)
    #expect(socket.transport == .polling && socket.rooms == ["red"] && socket.sessionID.isEmpty)
    #expect(socket.handshake.headers == sent.handshake.headers)
    #expect(socket.handshake.query == sent.handshake.query)
    #expect(socket.handshake.remoteAddress == sent.handshake.remoteAddress)
    #expect(socket.handshake.transport == .webSocket && socket.handshake.revision == .v3)
    #expect(socket.handshake.issued == sent.handshake.issued)
  }

  @Test("a message carries any text of a client that is never a key")
  func dearText() throws {
    let dear = "e" + String(repeating: "\u{301}", count: 1000)
    let escaped = "e" + String(repeating: "%CC%81", count: 1000)
    let sent = SocketSnapshot(
      id: "x", namespace: "/", data: SocketData(foreign: ["d": Array(dear.utf8)]), transport: .polling, rooms: [],
      handshake: Handshake(
        headers: [.userAgent: dear], query: QueryString("x=\(escaped)&y=1"), remoteAddress: nil, transport: .polling,
        revision: .v4, issued: 0))
    guard
      case .reply(1, .sockets(let sockets, _)) = try Self.decoded(.reply(1, .sockets([sent], isLast: true)))
    else {
      Issue.record("another message came out")
      return
    }
    let socket = try #require(sockets.first)
    #expect(socket.data.foreign == sent.data.foreign)
    #expect(socket.handshake.query == sent.handshake.query && socket.handshake.query["x"] == dear)
    #expect(socket.handshake.headers == sent.handshake.headers)
  }

  private static func socket(room size: Int, headers: HTTPFields = [:], query: String = "") -> SocketSnapshot {
    SocketSnapshot(
      id: "x", namespace: "/", data: SocketData(), transport: .polling, rooms: [String(repeating: "r", count: size)],
      handshake: Handshake(
        headers: headers, query: QueryString(query[...]), remoteAddress: nil, transport: .polling, revision: .v4,
        issued: 0
      ))
  }

  @Test("sockets are split by number and size, and one that is too large is left out")
  func parts() throws {
    func counts(_ sockets: [SocketSnapshot]) -> [Int] { SocketParts.divide(sockets).parts.map(\.count) }
    #expect(counts([]) == [0])
    #expect(counts(Array(repeating: Self.socket(room: 1), count: 401)) == [200, 200, 1])
    let large = Self.socket(room: 400_000)
    #expect(counts(Array(repeating: large, count: 5)) == [2, 2, 1])
    let marks = SocketSnapshot(
      id: "x", namespace: "/", data: SocketData(), transport: .polling,
      rooms: ["e" + String(repeating: "\u{301}", count: 1000)], handshake: large.handshake)
    let (parts, leftOut) = SocketParts.divide([Self.socket(room: 1), Self.socket(room: 1 << 20), marks, large])
    #expect(parts.map(\.count) == [2] && leftOut == 2)
    // The largest number of items of a query: each message can be decoded.
    let query = (0..<QueryString.maxItems).map { "\($0)" }.joined(separator: "&")
    let many = SocketParts.divide(Array(repeating: Self.socket(room: 1, query: query), count: 500))
    #expect(many.parts.map(\.count).reduce(0, +) == 500 && many.leftOut == 0)
    for part in many.parts { _ = try Self.decoded(.reply(1, .sockets(part, isLast: true))) }
  }

  @Test("messages carry no withheld header fields, by default those with credentials")
  func withheld() {
    let socket = Self.socket(
      room: 1, headers: [.cookie: "a=1", .authorization: "Bearer x", .proxyAuthorization: "y", .userAgent: "z"])
    let told = socket.shown(withholding: SocketIOServer.ClusterSettings().withheldFields)
    #expect(told.handshake.headers == [.userAgent: "z"])
    #expect(told.id == socket.id && told.rooms == socket.rooms)
    #expect(socket.shown(withholding: []).handshake.headers == socket.handshake.headers)
  }

  @Test("messages of another version or kind are distinguished from invalid ones")
  func versions() {
    let version = ClusterMessage.version
    #expect(throws: WireFlaw.unknownVersion(1)) { try ClusterMessage.decode([1, 1, 1]) }
    #expect(throws: WireFlaw.unknownKind(99)) { try ClusterMessage.decode([version, 1, 99]) }
    #expect(throws: WireFlaw.malformed) { try ClusterMessage.decode([]) }
    #expect(throws: WireFlaw.malformed) { try ClusterMessage.decode([version, 1, 1, 0]) }
  }

  @Test("messages cut off at any byte are refused, and changed bytes never trap")
  func damaged() throws {
    var generator = SeededGenerator(state: Fuzzer.seed)
    for message in try Self.all() {
      let bytes = message.encoded(from: Self.sender)
      for count in bytes.indices {
        #expect(throws: WireFlaw.self) { try ClusterMessage.decode(Array(bytes[..<count])) }
      }
      for _ in 0..<2_000 {
        var changed = bytes
        for _ in 0..<Int.random(in: 1...3, using: &generator) {
          changed[Int.random(in: changed.indices, using: &generator)] = .random(in: .min ... .max, using: &generator)
        }
        _ = try? ClusterMessage.decode(changed)
      }
    }
  }

  @Test("messages announce no more elements than their bytes can hold, and arguments only as JSON")
  func bounds() {
    var huge = WireWriter()
    huge.write(UInt64.max)
    #expect(throws: WireFlaw.malformed) {
      var reader = WireReader(huge.bytes)
      _ = try reader.bytes()
    }
    var long = WireWriter()
    long.write(list: Array(repeating: [UInt8](), count: WireReader.maxElements + 1)) { $0.write($1) }
    #expect(throws: WireFlaw.malformed) {
      var reader = WireReader(long.bytes)
      _ = try reader.list { reader throws(WireFlaw) in try reader.bytes() }
    }
    #expect(throws: WireFlaw.malformed) {
      try Self.decoded(.broadcast(Self.target, event: "e", SocketArguments([json("{")])))
    }
    let marks = "a" + String(repeating: "\u{301}", count: 1000)
    #expect(throws: WireFlaw.malformed) { try Self.decoded(.join([marks], Self.target)) }
  }

  @Test("waiting for acknowledgements is limited to a day")
  func timeout() throws {
    guard
      case .ask(_, _, _, _, let timeout) = try Self.decoded(.ask(1, Self.target, event: "e", .init(), timeout: .max))
    else {
      Issue.record("another message came out")
      return
    }
    #expect(timeout == ClusterMessage.maxTimeout)
  }

  private static func decoded(_ message: ClusterMessage) throws -> ClusterMessage {
    try ClusterMessage.decode(message.encoded(from: sender)).message
  }
}

@Suite("The members of a cluster")
struct ClusterMembersTests {
  private let first = SocketIOServer.ServerID(number: 1)
  private let second = SocketIOServer.ServerID(number: 2)

  @Test("members are known from their first message until they are silent for too long, or leave")
  func life() {
    var members = ClusterMembers()
    let areNew = [members.note(first, at: 0), members.note(second, at: 5), members.note(first, at: 10)]
    #expect(areNew == [true, true, false])
    let expired = members.expire(before: 6)
    #expect(expired == [second])
    #expect(members.ids == [first])
    let wereKnown = [members.remove(first), members.remove(first)]
    #expect(wereKnown == [true, false])
    let isNew = members.note(first, at: 20)
    #expect(isNew)
  }

  @Test("the number of members is limited")
  func bounded() {
    var members = ClusterMembers()
    for number in 0..<(UInt64(ClusterMembers.limit) + 10) { _ = members.note(.init(number: number), at: 0) }
    #expect(members.count == ClusterMembers.limit)
    let isNew = members.note(.init(number: 0), at: 1)
    #expect(!isNew)
  }
}
