import HTTPTypes
import NIOCore
import NIOHTTP1
import NIOHTTPTypesHTTP1
import NIOPosix
import SocketIOProtocol

extension HTTPConnectionHandler {
  /// Handles a complete WebSocket request. No HTTP may follow.
  func upgrade(_ context: ChannelHandlerContext, _ head: HTTPRequest, to core: ServerCore) {
    let request = EngineRequest(head, remoteAddress: context.remoteAddress)
    do throws(Refusal) {
      let aim = try request.aim(core.configuration, over: .webSocket)
      switch core.judge(request, over: .webSocket) {
      case .allow: break
      case .refuse(let status): return refuse(context, Refusal(status: status))
      case .reset:
        _ = context.channel.reset()
        return
      }
      if case .handshake = aim, core.configuration.allowRequest != nil {
        askApplication(context, request, core)
      } else {
        take(context, request, aim, core)
      }
    } catch {
      refuse(context, error, request, core)
    }
  }

  /// Lets `allowRequest` decide. Bytes that arrive meanwhile are not read, or are dropped.
  private func askApplication(_ context: ChannelHandlerContext, _ request: EngineRequest, _ core: ServerCore) {
    let verdict = context.eventLoop.makePromise(of: Void.self)
    let task = verdict.completeWithTask { try await core.allow(request, over: .webSocket) }
    context.channel.closeFuture.whenComplete { _ in task.cancel() }
    let context = NIOLoopBound(context, eventLoop: context.eventLoop)
    let handler = NIOLoopBound(self, eventLoop: context.value.eventLoop)
    verdict.futureResult.whenComplete { result in
      guard context.value.channel.isActive else { return }
      switch result {
      case .success: handler.value.take(context.value, request, .handshake, core)
      case .failure(let refusal as Refusal): handler.value.refuse(context.value, refusal, request, core)
      case .failure: context.value.close(promise: nil)
      }
    }
  }

  private func take(
    _ context: ChannelHandlerContext, _ request: EngineRequest, _ aim: RequestAim, _ core: ServerCore
  ) {
    do throws(Refusal) {
      let (shard, offer) = try core.examine(request, aim, on: context.eventLoop)
      let descriptor = isSecure ? Self.relayedDescriptor(of: context) : Self.descriptor(of: context)
      guard let descriptor else {
        throw Refusal(status: .serviceUnavailable)
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
      refuse(context, error, request, core)
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

  private func refuse(
    _ context: ChannelHandlerContext, _ refusal: Refusal, _ request: EngineRequest, _ core: ServerCore
  ) {
    core.refused(request, refusal)
    refuse(context, refusal)
  }
}
