import MadangServer
import SocketIOProtocol
import SocketIOServer

extension Journal {
  /// Records a packet. Called on event loops, for each socket of a broadcast.
  func record(_ packet: TravellingPacket, _ fault: AppliedFault?) {
    append(
      .packet(
        RawPacket(
          session: packet.sessionID, direction: packet.direction, transport: packet.transport, packet: packet.kept,
          account: packet.data.flatMap(MadangServer.account).map { AccountKey(number: $0, era: era) }, fault: fault)))
    coverage.count(packet.kept, fromClient: packet.direction == .fromClient)
  }

  func record(_ news: SocketIOServer.SessionNews) {
    let (event, reason): (String, String?) =
      switch news.event {
      case .opened: ("opened", nil)
      case .upgraded: ("upgraded", nil)
      case .closed(let reason): ("closed", reason.rawValue)
      }
    append(
      .connection(
        RawConnection(
          session: news.sessionID, event: event, transport: news.transport, reason: reason, fault: nil,
          handshake: news.handshake)))
  }

  /// A fault refuses a connection or namespace.
  func recordRefusal(of opening: SocketIOServer.TravellingOpening, _ fault: AppliedFault) {
    append(
      .connection(
        RawConnection(
          session: opening.upgradedSession, event: "refused", transport: opening.request.transport, reason: nil,
          fault: fault, handshake: nil)))
  }

  func record(_ occurrence: Occurrence) {
    switch occurrence {
    case .push(let push):
      coverage.countPush(edition: push.edition)
      append(.push(push, AccountKey(number: push.account, era: era)))
    case .payment(let payment): append(.payment(payment))
    case .mail(let mail): append(.mail(mail))
    }
  }
}
