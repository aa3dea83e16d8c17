import Hummingbird
import MadangCore
import MadangOperations

extension DoctorProbe {
  /// How a request arrived that shows a proof; nil for others.
  func sight(_ received: ReceivedRequest) -> Sight? {
    let (service, request, client) = (received.service, received.request, received.client)
    guard let shown = request.headers[.doctor], accepts(shown, at: service.madang.clock.now) else { return nil }
    let peer = received.connection.remoteAddress?.ipAddress.flatMap { IPAddress($0) }
    return Sight(
      peer: peer?.text ?? "",
      isPeerTrusted: peer.map { peer in service.settings.trustedProxies.contains { $0.contains(peer) } } ?? false,
      address: client.text, isForwarded: ClientAddress.isForwarded(request.headers), isShared: client.isShared,
      isSecure: received.isSecure, authority: request.head.authority ?? "",
      connections: service.settings.limits.connections.total, loopbackSigns: service.reports.loopback?.signs ?? [])
  }
}
