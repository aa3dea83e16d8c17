import Foundation
import SocketIOClient
import SocketIOServer
import SocketIOSupport
import Synchronization
import Testing

/// Without `SocketIOProtocol`, like an application that uses no raw arguments.
@Suite("Values of events", .timeLimit(.minutes(5)))
struct ValuesTests {
  private static let patience = Duration.seconds(60)

  private struct Photo: Codable, Equatable, Sendable {
    var title: String
    var image: Data
    var thumbnails: [Data]
  }

  private static let bytes: [UInt8] = [0, 255, 10, 13]
  private static let photo = Photo(title: "a", image: Data(bytes), thumbnails: [Data([1]), Data()])

  @Test(
    "bytes and values with Data are binary, in both directions and in acknowledgements", arguments: ClientMode.allCases)
  func binary(mode: ClientMode) async throws {
    try await TestServer.with { (server) async throws in
      var handlers = NamespaceHandlers()
      handlers.on("photo", as: [UInt8].self, Photo.self) { socket, bytes, photo, acknowledge in
        try? socket.emit("back", bytes, photo, Data(bytes))
        try? acknowledge?(bytes)
      }
      server.server.namespace("/values", configure: handlers)
      try await server.withClient(mode) { (client) async throws in
        try await client.connect(to: "/values")
        var values = await client.events("back", as: [UInt8].self, Photo.self, Data.self, in: "/values")
          .makeAsyncIterator()
        let answer = try await client.emit(
          "photo", Self.bytes, Self.photo, in: "/values", acknowledgedWithin: Self.patience, as: [UInt8].self)
        #expect(answer == Self.bytes)
        let (bytes, photo, data) = try #require(try await values.next())
        #expect(bytes == Self.bytes && photo == Self.photo && data == Data(Self.bytes))
      }
    }
  }

  @Test("bytes are sent as attachments, which Node's clients receive as buffers")
  func wire() async throws {
    try await TestServer.with { (server) async throws in
      server.server.namespace(
        "/values", configure: NamespaceHandlers(connected: { try? $0.emit("photo", Self.bytes, [1, 2], [UInt8]()) }))
      let client = try await EngineClient(server, .webSocket)
      try await client.join("/values")
      let (first, second) = (#"{"_placeholder":true,"num":0}"#, #"{"_placeholder":true,"num":1}"#)
      #expect(try await client.text() == #"452-/values,["photo",\#(first),[1,2],\#(second)]"#)
      let webSocket = try #require(await client.webSocket)
      #expect(await webSocket.next() == .binary(Self.bytes))
      #expect(await webSocket.next() == .binary([]))
    }
  }

  @Test("arrays of numbers and Base64 decode as bytes if the sender sent no attachment")
  func text() async throws {
    try await TestServer.with { (server) async throws in
      var handlers = NamespaceHandlers()
      handlers.on("text", as: [UInt8].self, Data.self) { _, bytes, data, acknowledge in
        try? acknowledge?("\(bytes) \(Array(data))")
      }
      server.server.namespace("/values", configure: handlers)
      let client = try await EngineClient(server, .webSocket)
      try await client.join("/values")
      try await client.send(#"42/values,1["text",[1,2],"AwQ="]"#)
      #expect(try await client.text() == #"43/values,1["[1, 2] [3, 4]"]"#)
    }
  }

  @Test("a listener takes two or three values, an answer any number of them, and other events are refused")
  func several() async throws {
    try await TestServer.with { (server) async throws in
      var handlers = NamespaceHandlers()
      handlers.on("two", as: String.self, Int.self) { _, text, number, acknowledge in
        try? acknowledge?("\(text) \(number)")
      }
      handlers.on("three", as: String.self, Int.self, Bool.self) { _, text, number, isSo, acknowledge in
        try? acknowledge?("\(text) \(number) \(isSo)")
      }
      handlers.on("four", as: String.self, Int.self, Bool.self, [Int].self) { _, text, number, isSo, list in
        "\(text) \(number) \(isSo) \(list)"
      }
      handlers.once("once", as: Int.self, Int.self) { _, first, second, acknowledge in try? acknowledge?(first + second)
      }
      handlers.connected = { socket in
        socket.on("own", as: Int.self, Int.self) { _, first, second, acknowledge in try? acknowledge?(first * second) }
        socket.once("sum", as: Int.self, Int.self, Int.self) { socket, a, b, c in a + b + c }
      }
      handlers.refused = { _, event, _ in try? event.acknowledge?("refused") }
      server.server.namespace("/values", configure: handlers)
      let client = try await EngineClient(server, .webSocket)
      try await client.join("/values")
      for (event, answer) in [
        (#"["two","a",1]"#, #""a 1""#), (#"["two","a"]"#, #""refused""#), (#"["three","a",1,true]"#, #""a 1 true""#),
        (#"["four","a",1,true,[2]]"#, #""a 1 true [2]""#), (#"["four","a",1,true]"#, #""refused""#),
        (#"["once",1,2]"#, "3"), (#"["own",3,4]"#, "12"), (#"["sum",1,2,3]"#, "6"),
      ] {
        try await client.send("42/values,5\(event)")
        #expect(try await client.text() == "43/values,5[\(answer)]")
      }
    }
  }

  @Test("a synchronous listener receives an acknowledgement, or its absence, by a closure")
  func acknowledged() async throws {
    try await TestServer.with { (server) async throws in
      var handlers = NamespaceHandlers()
      handlers.on("ask") { socket, _ in
        try? socket.emit("question", 1, timeout: Self.patience, answer: Int.self) { outcome in
          // On the client's loop, so it follows at once.
          try? socket.emit("sum", (try? outcome.get()).map { $0 + 1 })
        }
        try? socket.emit("raw", timeout: Self.patience) { outcome in
          server.journal.note("raw: \(outcome)")
        }
        try? socket.emit("late", 1, timeout: .milliseconds(1), answer: Int.self) { outcome in
          if case .failure(let error) = outcome { server.journal.note("late: \(error)") }
        }
        #expect(throws: ReservedNameError.self) {
          try socket.emit("connect", timeout: .seconds(1)) { _ in Issue.record("called") }
        }
      }
      handlers.disconnected = { socket, _ in
        try? socket.emit("gone", timeout: Self.patience) { server.journal.note("gone: \($0)") }
      }
      server.server.namespace("/values", configure: handlers)
      let client = try await EngineClient(server, .webSocket)
      try await client.join("/values")
      try await client.send(#"42/values,["ask"]"#)
      let question = try #require(try await client.text())
      let id = try #require(question.firstMatch(of: /,([0-9]+)\[/)?.output.1)
      #expect(question == #"42/values,\#(id)["question",1]"#)
      for _ in 0..<2 { _ = try await client.text() }
      try await client.send("43/values,\(id)[41]")
      #expect(try await client.text() == #"42/values,["sum",42]"#)
      await server.journal.wait(for: "late: timedOut")
      await client.abort()
      await server.journal.wait(for: "raw: failure(SocketIOServer.AckError.disconnected)")
      await server.journal.wait(for: "gone: failure(SocketIOServer.AckError.disconnected)")
    }
  }
}
