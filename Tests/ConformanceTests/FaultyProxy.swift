import AsyncHTTPClient
import NIOCore
import NIOHTTP1
import NIOPosix

/// A proxy in front of a server on this machine. Requests and answers pass whole, WebSockets by messages, each through a
/// ``Fault``.
struct FaultyProxy: Sendable {
  typealias Connection = NIOAsyncChannel<ByteBuffer, ByteBuffer>

  private let port: Int
  private let fault: Fault
  private let http: HTTPClient

  /// Runs `body` with the URL of a proxy.
  static func run<Result: Sendable>(
    to port: Int, _ fault: Fault, _ body: @escaping @Sendable (String) async throws -> Result
  ) async throws -> Result {
    var settings = HTTPClient.Configuration(redirectConfiguration: .disallow)
    settings.timeout.connect = .seconds(60)
    settings.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = 1024
    let http = HTTPClient(
      eventLoopGroupProvider: .shared(MultiThreadedEventLoopGroup.singleton), configuration: settings)
    let proxy = FaultyProxy(port: port, fault: fault, http: http)
    let listener = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
      .serverChannelOption(.backlog, value: 256)
      .bind(host: "127.0.0.1", port: 0) { channel in
        channel.eventLoop.makeCompletedFuture { try Connection(wrappingChannelSynchronously: channel) }
      }
    let url = "http://127.0.0.1:\(listener.channel.localAddress?.port ?? 0)"
    let result: Swift.Result<Result, any Error>
    do {
      result = .success(
        try await withThrowingTaskGroup(of: Result?.self) { group in
          group.addTask {
            try await proxy.serve(listener)
            return nil
          }
          group.addTask { try await body(url) }
          defer { group.cancelAll() }
          while let outcome = try await group.next() { if let outcome { return outcome } }
          throw CancellationError()
        })
    } catch {
      result = .failure(error)
    }
    try await http.shutdown()
    return try result.get()
  }

  private func serve(_ listener: NIOAsyncChannel<Connection, Never>) async throws {
    try await listener.executeThenClose { connections in
      try await withThrowingDiscardingTaskGroup { group in
        for try await connection in connections {
          // A connection that breaks is the client's to notice.
          group.addTask { try? await serve(connection) }
        }
      }
    }
  }

  private func serve(_ connection: Connection) async throws {
    try await connection.executeThenClose { inbound, outbound in
      var reader = ByteReader(inbound)
      while let (request, head) = try await reader.request() {
        if request.headers["Upgrade"].contains(where: { $0.lowercased() == "websocket" }) {
          return try await tunnel(head, &reader, outbound)
        }
        var changed = request
        fault.request(&changed)
        var answer = try await forward(changed)
        await fault.answer(request, &answer)
        try await outbound.write(ByteBuffer(bytes: Self.bytes(of: answer)))
      }
    }
  }

  private func forward(_ request: ProxyRequest) async throws -> ProxyAnswer {
    var call = HTTPClientRequest(url: "http://127.0.0.1:\(port)" + request.target)
    call.method = .RAW(value: request.method)
    call.headers = request.headers
    call.headers.remove(name: "Content-Length")
    if request.headers.contains(name: "Content-Length") { call.body = .bytes(ByteBuffer(bytes: request.body)) }
    let response = try await http.execute(call, timeout: .seconds(60))
    let body = try await response.body.collect(upTo: 64 << 20)
    return ProxyAnswer(
      status: Int(response.status.code), headers: response.headers, body: Array(body.readableBytesView))
  }

  private static func bytes(of answer: ProxyAnswer) -> [UInt8] {
    var head = "HTTP/1.1 \(answer.status) Status\r\n"
    for (name, value) in answer.headers where !["content-length", "transfer-encoding"].contains(name.lowercased()) {
      head += "\(name): \(value)\r\n"
    }
    if answer.status != 304 { head += "Content-Length: \(answer.body.count)\r\n" }
    return Array((head + "\r\n").utf8) + answer.body
  }

  // MARK: WebSocket

  private func tunnel(
    _ head: [UInt8], _ reader: inout ByteReader, _ client: NIOAsyncChannelOutboundWriter<ByteBuffer>
  ) async throws {
    let upstream = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
      .connectTimeout(.seconds(60))
      .connect(host: "127.0.0.1", port: port) { channel in
        channel.eventLoop.makeCompletedFuture { try Connection(wrappingChannelSynchronously: channel) }
      }
    let said = reader
    let fault = fault.socket?() ?? fault
    try await upstream.executeThenClose { inbound, server in
      try await server.write(ByteBuffer(bytes: head))
      await withTaskGroup(of: Void.self) { group in
        group.addTask {
          var reader = ByteReader(inbound)
          guard let head = try? await reader.head() else { return }
          try? await client.write(ByteBuffer(bytes: head))
          try? await relay(&reader, to: client, isMasked: false) { fault.heard($0) }
        }
        group.addTask {
          var reader = said
          try? await relay(&reader, to: server, isMasked: true) { fault.said($0) }
        }
        await group.next()
        group.cancelAll()
      }
    }
  }

  private func relay(
    _ reader: inout ByteReader, to peer: NIOAsyncChannelOutboundWriter<ByteBuffer>, isMasked: Bool,
    _ change: @Sendable (String) -> [String]?
  ) async throws {
    while let frame = try await reader.frame() {
      guard frame.isText else {
        try await peer.write(ByteBuffer(bytes: frame.encoded(isMasked: isMasked)))
        continue
      }
      guard let texts = change(String(decoding: frame.payload, as: UTF8.self)) else { return }
      for text in texts {
        let changed = WireFrame(first: frame.first, payload: Array(text.utf8))
        try await peer.write(ByteBuffer(bytes: changed.encoded(isMasked: isMasked)))
      }
    }
  }
}
