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
  /// Who calls; nil on public routes.
  let identity: Principal?
  let outcome: CallOutcome

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
  func json(_ bytes: [UInt8]) -> Response { .json(ByteBuffer(bytes: bytes)) }

  /// The object a path parameter names, by this edition's form of id.
  func reference(_ parameter: String) -> Reference { edition.reference(parameters[parameter] ?? "") }
}

/// What a call has brought about.
final class CallOutcome: Sendable {
  /// The session that a client has after a call, for the cookie of its sockets.
  enum Session {
    case none
    case live(SessionID)
    case ended
  }

  private let state: Mutex<(session: Session, chat: Chat?)>

  init(_ principal: Principal?) { state = Mutex((principal.map { .live($0.session) } ?? .none, nil)) }

  var session: Session {
    get { state.withLock(\.session) }
    set { state.withLock { $0.session = newValue } }
  }

  /// What was posted.
  var chat: Chat? {
    get { state.withLock(\.chat) }
    set { state.withLock { $0.chat = newValue } }
  }
}

/// The connection that a request came by, and the log for what goes wrong.
struct Context {
  let channel: any NIOCore.Channel
  let logger: Logger
}
