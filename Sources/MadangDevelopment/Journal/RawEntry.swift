import HTTPTypes
import MadangServer
import NIOCore
import SocketIOProtocol
import SocketIOServer

/// An entry as stored. It is read and masked only when a caller asks.
struct RawEntry: Sendable {
  let number: Int
  /// Milliseconds of the server's clock.
  let at: Int64
  /// Uptime in nanoseconds.
  let begun: UInt64
  let content: RawContent

  /// Its approximate size in memory.
  var bytes: Int { content.size }
}

indirect enum RawContent: Sendable {
  case request(RawRequest)
  case packet(RawPacket)
  case connection(RawConnection)
  case push(Occurrence.Push, AccountKey)
  case payment(Occurrence.Payment)
  case mail(Occurrence.Mail)

  var kind: JournalEntry.Kind {
    switch self {
    case .request: .request
    case .connection: .connection
    case .packet: .packet
    case .push: .push
    case .payment: .payment
    case .mail: .mail
    }
  }

  /// The fixed size of an entry, in bytes.
  private static let overhead = 256

  /// In bytes. Data that several entries share counts for each.
  var size: Int {
    switch self {
    case .request(let request): Self.overhead + request.size
    case .connection(let connection):
      Self.overhead + (connection.handshake.map { $0.headers.size + $0.query.size } ?? 0)
    case .packet(let packet): Self.overhead + packet.packet.size
    case .push(let push, _): Self.overhead + push.payload.count + push.deviceToken.utf8.count
    case .payment(let payment): Self.overhead + payment.id.utf8.count + payment.merchantID.utf8.count
    case .mail(let mail): Self.overhead + mail.subject.utf8.count + mail.body.utf8.count
    }
  }
}

struct RawConnection: Sendable {
  let session: String?
  /// `opened`, `upgraded`, `closed` or `refused`.
  let event: String
  let transport: EngineTransport
  let reason: String?
  let fault: AppliedFault?
  /// The request that opened the session.
  let handshake: Handshake?
}

struct RawPacket: Sendable {
  let session: String
  let direction: TravellingPacket.Direction
  let transport: EngineTransport
  let packet: KeptPacket
  let account: AccountKey?
  let fault: AppliedFault?
}

/// An account number, which is unique between two resets of the database.
struct AccountKey: Hashable, Sendable {
  let number: Int64
  let era: Int
}

extension QueryString {
  /// In bytes.
  fileprivate var size: Int { items.reduce(0) { $0 + $1.name.utf8.count + $1.value.utf8.count + 64 } }
}

extension HTTPFields {
  /// In bytes.
  var size: Int { reduce(0) { $0 + $1.name.rawName.utf8.count + $1.value.utf8.count + 64 } }
}
