import Hummingbird
import Logging
import MadangAPI
import MadangCore
import NIOCore
import Synchronization

/// One request on its way to an operation: what a route needs to know of it.
struct Call {
  let service: Service
  let edition: Edition
  let request: Request
  let client: ClientAddress
  let context: Context
  let target: RequestTarget
  let parameters: PathParameters
  let body: BodyReader
  /// Where it is noted what becomes known of the request, if anybody wants to know.
  let exchange: Exchange?
  /// Who calls; nil on public routes.
  let identity: Principal?
  /// The session that the client has after this call.
  let session: SessionOfCall

  var madang: Madang { service.madang }
  var dates: WireDates { edition.dates }
  /// From where the caller acts.
  var origin: Origin {
    Origin(
      edition: edition.name, address: client.text, keyHash: request.headers[.apiKey].map { Madang.keyHash($0) },
      place: SignInPlace(network: client.site, device: DeviceKind(userAgent: request.headers[.userAgent]).rawValue))
  }

  /// Who calls, on routes with a token. Whoever it is, is looked up with what they ask for.
  var principal: Principal {
    get throws {
      guard let identity else { throw Refusal(.badToken, "the route needs an access token") }
      return identity
    }
  }

  /// 200 with a JSON body.
  func json(_ bytes: [UInt8]) -> Response {
    let body = ByteBuffer(bytes: bytes)
    exchange?.answers(body)
    return .json(body)
  }

  /// The object a path parameter names, by this edition's form of id.
  func reference(_ parameter: String) -> Reference { edition.reference(parameters[parameter] ?? "") }
}

/// The session that a client has after a call, for the cookie of its sockets.
final class SessionOfCall: Sendable {
  enum State {
    case none
    case live(SessionID)
    case ended
  }

  private let current: Mutex<State>

  init(_ principal: Principal?) { current = Mutex(principal.map { .live($0.session) } ?? .none) }

  var state: State {
    get { current.withLock(\.self) }
    set { current.withLock { $0 = newValue } }
  }
}

/// The connection that a request came by, and the log for what goes wrong.
struct Context {
  let channel: any NIOCore.Channel
  let logger: Logger
}
