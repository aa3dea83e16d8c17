import HTTPTypes
import NIOCore
import NIOHTTP1
import NIOHTTPTypesHTTP1
import NIOPosix
import SocketIOProtocol

extension HTTPConnectionHandler {
  /// Handles a complete WebSocket request. No HTTP may follow.
  func upgrade(_ context: ChannelHandlerContext, _ head: HTTPRequest) {
    state = .gone
    let request = EngineRequest(head, remoteAddress: context.remoteAddress)
    guard requestsInProgress == 0 else { return context.close(promise: nil) }
    do throws(RequestFlaw) {
      let aim = try request.aim(server.core.configuration, over: .webSocket)
      switch server.core.judge(request, aim, over: .webSocket) {
      case .allow: break
      case .refuse(let status): return refuse(context, UpgradeFlaw(status: status, message: ""))
      case .reset:
        _ = context.channel.reset()
        return
      }
      if case .handshake = aim, server.core.configuration.allowRequest != nil {
        askApplication(context, request)
      } else {
        take(context, request, aim)
      }
    } catch {
      refuse(context, error, request)
    }
  }

  /// Lets `allowRequest` decide. Bytes that arrive meanwhile are not read, or are dropped.
  private func askApplication(_ context: ChannelHandlerContext, _ request: EngineRequest) {
    let core = server.core
    let verdict = context.eventLoop.makePromise(of: Void.self)
    let task = verdict.completeWithTask { try await core.allow(request, over: .webSocket) }
    context.channel.closeFuture.whenComplete { _ in task.cancel() }
    let context = NIOLoopBound(context, eventLoop: context.eventLoop)
    let handler = NIOLoopBound(self, eventLoop: context.value.eventLoop)
    verdict.futureResult.whenComplete { result in
      guard context.value.channel.isActive else { return }
      switch result {
      case .success: handler.value.take(context.value, request, .handshake)
      case .failure(let flaw as RequestFlaw): handler.value.refuse(context.value, flaw, request)
      case .failure: context.value.close(promise: nil)
      }
    }
  }

  private func take(_ context: ChannelHandlerContext, _ request: EngineRequest, _ aim: RequestAim) {
    do throws(UpgradeFlaw) {
      let (shard, offer) = try server.core.examine(request, aim, on: context.eventLoop)
      let descriptor = isSecure ? Self.relayedDescriptor(of: context) : Self.descriptor(of: context)
      guard let descriptor else {
        throw UpgradeFlaw(status: .serviceUnavailable, message: "")
      }
      let owner = place?.owner
      // With TLS the connection stays open, so its reservation is kept.
      guard !isSecure else { return shard.run { $0.accept(offer, descriptor, nil, owner: owner) } }
      // The connection becomes a new channel on the session's loop, so that no HTTP handler remains and an upgraded session keeps its loop.
      let place = place
      self.place = nil
      context.close(promise: nil)
      shard.run { $0.accept(offer, descriptor, place, owner: owner) }
    } catch {
      refuse(context, error)
    }
  }

  /// One end of a relay behind TLS, whose keys stay in this connection's pipeline; nil if there are no descriptors.
  private static func relayedDescriptor(of context: ChannelHandlerContext) -> CInt? {
    #if TLS
      WebSocketRelay.start(on: context)
    #else
      nil
    #endif
  }

  private static func descriptor(of context: ChannelHandlerContext) -> CInt? {
    let copy = try? context.pipeline.syncOperations.withUnsafeTransportIfAvailable(of: NIOBSDSocket.Handle.self) {
      duplicate($0)
    }
    return copy ?? nil
  }

  private func refuse(_ context: ChannelHandlerContext, _ flaw: RequestFlaw, _ request: EngineRequest) {
    server.core.refused(request, flaw)
    refuse(context, UpgradeFlaw(flaw))
  }

  func refuse(_ context: ChannelHandlerContext, _ flaw: UpgradeFlaw) {
    var headers: HTTPFields = [.connection: "close", .contentType: "text/html"]
    headers[.contentLength] = String(flaw.message.utf8.count)
    let head = HTTPResponse(status: flaw.status, headerFields: headers)
    context.write(wrapOutboundOut(.head(HTTPResponseHead(head))), promise: nil)
    context.write(wrapOutboundOut(.body(.byteBuffer(ByteBuffer(string: flaw.message)))), promise: nil)
    writeAndClose(context, wrapOutboundOut(.end(nil)))
  }
}
