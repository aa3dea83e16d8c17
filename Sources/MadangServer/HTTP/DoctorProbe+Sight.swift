import HTTPTypes
import Hummingbird
import MadangCore
import MadangOperations

extension DoctorProbe {
  /// How a request arrived that shows a proof; nil for others.
  func sight(_ request: Request, _ context: Context, _ service: Service) -> Sight? {
    guard let shown = request.headers[.doctor], accepts(shown, at: service.madang.clock.now) else { return nil }
    let peer = context.channel.remoteAddress?.ipAddress.flatMap { IPAddress($0) }
    let client = service.client(request.headers, peer: context.channel.remoteAddress)
    return Sight(
      peer: peer?.text ?? "",
      isPeerTrusted: peer.map { peer in service.settings.trustedProxies.contains { $0.contains(peer) } } ?? false,
      address: client.text, isForwarded: ClientAddress.isForwarded(request.headers), isShared: client.isShared,
      isSecure: client.isSecure || service.settings.tls.isUsed, authority: request.head.authority ?? "",
      connections: service.settings.limits.connections.total, loopbackSigns: service.loopback?.signs ?? [])
  }
}

extension HTTPField.Name {
  // A valid name by inspection, which `init?` cannot know.
  fileprivate static let doctor = Self(DoctorProbe.header) ?? .via
}
