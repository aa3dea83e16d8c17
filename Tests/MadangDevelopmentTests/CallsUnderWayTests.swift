import NIOCore
import NIOEmbedded
import Synchronization
import Testing

@testable import MadangDevelopment

@Suite("Calls under way", .timeLimit(.minutes(5)))
struct CallsUnderWayTests {
  /// Is asked to close, and never does, as a TLS connection whose peer is silent; or does something instead.
  private final class Silent: ChannelOutboundHandler, Sendable {
    typealias OutboundIn = ByteBuffer
    let wasAsked = Mutex(false)
    let instead: @Sendable () -> Void

    init(instead: @escaping @Sendable () -> Void = {}) { self.instead = instead }

    func close(context: ChannelHandlerContext, mode: CloseMode, promise: EventLoopPromise<Void>?) {
      wasAsked.withLock { $0 = true }
      instead()
    }

    var isAsked: Bool { wasAsked.withLock(\.self) }
  }

  private static func connection(_ silent: Silent) async throws -> NIOAsyncTestingChannel {
    let channel = NIOAsyncTestingChannel()
    try await channel.pipeline.addHandler(silent).get()
    return channel
  }

  @Test("calls that take too long have their connections closed at the same time")
  func tooLong() async throws {
    let calls = CallsUnderWay()
    let silent = [Silent(), Silent(), Silent()]
    var places: [CallsUnderWay.Call] = []
    for one in silent { places.append(calls.begin(over: try await Self.connection(one))) }
    places.remove(at: 1)
    await calls.finish(within: .milliseconds(1))
    #expect(silent.map(\.isAsked) == [true, false, true])
    #expect(calls.count == 2)
    withExtendedLifetime(places) {}
  }

  @Test("a call that ends in time keeps its connection")
  func justInTime() async throws {
    let calls = CallsUnderWay()
    let place = Mutex<CallsUnderWay.Call?>(nil)
    let (second, third) = (Silent(), Silent())
    let (secondConnection, thirdConnection) = (try await Self.connection(second), try await Self.connection(third))
    let first = Silent {
      place.withLock {
        $0 = nil
        // Begins when the former one is over.
        $0 = calls.begin(over: thirdConnection)
      }
    }
    let firstPlace = calls.begin(over: try await Self.connection(first))
    place.withLock { $0 = calls.begin(over: secondConnection) }
    await calls.finish(within: .milliseconds(1))
    #expect(first.isAsked && !second.isAsked && !third.isAsked)
    #expect(calls.count == 2)
    withExtendedLifetime(firstPlace) {}
  }
}
