import HTTPTypes
import NIOCore

/// Takes the header of a proxy from the beginning of a connection, before TLS and HTTP. A connection without one is closed: otherwise its
/// client could write a header of its own.
final class ProxyHeaderHandler: ChannelInboundHandler, RemovableChannelHandler {
  typealias InboundIn = ByteBuffer
  typealias InboundOut = ByteBuffer

  private let found: (ProxyHeader, ChannelHandlerContext) throws -> Void
  private var waiting = ByteBuffer()
  private var isOver = false

  /// - Parameter found: Receives the header before anything behind it is read. The connection is closed if it throws.
  init(_ found: @escaping (ProxyHeader, ChannelHandlerContext) throws -> Void) { self.found = found }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    guard !isOver else { return }
    var bytes = unwrapInboundIn(data)
    waiting.writeBuffer(&bytes)
    do {
      guard let header = try ProxyHeader.take(from: &waiting) else { return }
      isOver = true
      try found(header, context)
    } catch {
      isOver = true
      return context.close(promise: nil)
    }
    if waiting.readableBytes > 0 { context.fireChannelRead(wrapInboundOut(waiting)) }
    waiting = ByteBuffer()
    context.pipeline.syncOperations.removeHandler(context: context, promise: nil)
  }
}

extension ProxyHeader {
  /// Makes a request say who sent it, as a proxy for HTTP does. Fields that the client wrote in the name of a proxy are removed: the proxy in
  /// front does not read HTTP, so it has neither written nor checked them.
  func note(in fields: inout HTTPFields) {
    for name in Self.forwarding { fields[name] = nil }
    fields[.forwardedFor] = client?.ipAddress ?? "unknown"
    if isSecure { fields[.forwardedProto] = "https" }
  }

  private static let forwarding: [HTTPField.Name] = [
    .forwardedFor, .forwardedProto, .forwardedHost, .forwarded, .realIP,
  ]
}
