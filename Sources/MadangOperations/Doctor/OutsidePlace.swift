import ACME
import AsyncHTTPClient
import Foundation
import MadangCore
import MadangProviders
import NIOCore
import NIOHTTP1
import NIOPosix
import NIOSSL

/// A server as clients reach it.
struct OutsidePlace: Sendable {
  let host: String
  let port: Int
  let isSecure: Bool
  let patience: Duration

  /// Nil if it is not an `http://` or `https://` URL of a server, or its name is not in DNS form.
  init?(_ text: String, patience: Duration) {
    guard let url = URL(string: text), let host = url.host(), !host.isEmpty, ["http", "https"].contains(url.scheme),
      ["", "/"].contains(url.path()), !host.contains("%"), url.port.map({ (1...65535).contains($0) }) ?? true
    else { return nil }
    self.host = host.trimmingCharacters(in: ["[", "]"]).lowercased()
    isSecure = url.scheme == "https"
    port = url.port ?? (isSecure ? 443 : 80)
    self.patience = patience
  }

  /// The name and port in clients' URLs.
  var authority: String {
    let name = host.contains(":") ? "[\(host)]" : host
    return port == (isSecure ? 443 : 80) ? name : "\(name):\(port)"
  }
  var url: String { "\(isSecure ? "https" : "http")://\(authority)" }

  /// The result of one connection.
  struct Exchange: Sendable {
    let bytes: [UInt8]
    /// Whether the connection stayed on this machine's loopback interface.
    let isLocal: Bool
    /// When the server's certificate ends; nil without TLS.
    let certificateEnd: Date?
    /// Whether the server has made its certificate itself, because it waits for the first one of an authority.
    let waitsForCertificate: Bool

    var text: String { String(decoding: bytes, as: UTF8.self) }
    /// The status of the answer; nil without one.
    var status: Int? { text.hasPrefix("HTTP/1.1 ") ? Int(text.dropFirst(9).prefix(3)) : nil }
  }

  /// How much of an answer is read, in bytes.
  private static let maxAnswer = 1 << 16

  /// Sends a raw request and returns the answer, until it is complete, the connection ends, or the time is over.
  func exchange(
    _ request: String, tls: TLSConfiguration?, until isEnough: @escaping @Sendable ([UInt8]) -> Bool
  ) async throws -> Exchange {
    let context = try tls.map { try NIOSSLContext(configuration: $0) }
    // NIO does not accept addresses as names, and compares certificates with the address itself.
    let isAddress = IPAddress(host) != nil
    let connection = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
      .connectTimeout(TimeAmount(patience))
      .connect(host: host, port: port) { channel in
        channel.eventLoop.makeCompletedFuture {
          if let context {
            try channel.pipeline.syncOperations.addHandler(
              NIOSSLClientHandler(context: context, serverHostname: isAddress ? nil : host))
          }
          return try NIOAsyncChannel<ByteBuffer, ByteBuffer>(wrappingChannelSynchronously: channel)
        }
      }
    let channel = connection.channel
    let end = channel.eventLoop.scheduleTask(in: TimeAmount(patience)) { channel.close(promise: nil) }
    defer { end.cancel() }
    return try await connection.executeThenClose { inbound, outbound in
      var unsent: (any Error)?
      // Errors that ended the connection are reported below, with more detail.
      do { try await outbound.write(ByteBuffer(string: request)) } catch { unsent = error }
      var bytes: [UInt8] = []
      do {
        for try await buffer in inbound {
          bytes += buffer.readableBytesView
          if bytes.count >= Self.maxAnswer || isEnough(bytes) { break }
        }
      } catch  where !bytes.isEmpty {
        // An answer that breaks off is still an answer.
      }
      if let unsent, bytes.isEmpty { throw unsent }
      // A connection that is already closed has none.
      let certificate = context == nil ? nil : try? await channel.nioSSL_peerCertificate().get()
      return Exchange(
        bytes: bytes, isLocal: channel.remoteAddress?.ipAddress.flatMap { IPAddress($0) }?.isLoopback ?? true,
        certificateEnd: certificate.map { Date(timeIntervalSince1970: TimeInterval($0.notValidAfter)) },
        waitsForCertificate: (try? certificate?.toDERBytes()).map(SelfSigned.made) ?? false)
    }
  }

  /// A request without a body, and the first bytes of its answer.
  struct Answer: Sendable {
    let status: Int
    let headers: HTTPHeaders
    let body: [UInt8]

    var text: String { String(decoding: body, as: UTF8.self) }
  }

  func call(
    _ path: String, headers: [(String, String)] = [], body: String? = nil, with client: HTTPClient
  ) async throws -> Answer {
    var request = HTTPClientRequest(url: url + path)
    for (name, value) in headers { request.headers.add(name: name, value: value) }
    if let body {
      request.method = .POST
      request.headers.add(name: "Content-Type", value: "text/plain;charset=UTF-8")
      request.body = .bytes(ByteBuffer(string: body))
    }
    let asked = request
    return try await withThrowingTaskGroup(of: Answer?.self) { group in
      group.addTask {
        let response = try await client.execute(asked, timeout: TimeAmount(patience))
        var bytes: [UInt8] = []
        for try await buffer in response.body {
          bytes += buffer.readableBytesView
          if bytes.count >= Self.maxAnswer { break }
        }
        return Answer(status: Int(response.status.code), headers: response.headers, body: bytes)
      }
      // The client's own time limit ends with the head of the answer.
      group.addTask {
        try await Task.sleep(for: patience)
        return nil
      }
      defer { group.cancelAll() }
      guard let answer = try await group.next() ?? nil else { throw ProviderCalls.TimedOut() }
      return answer
    }
  }
}
