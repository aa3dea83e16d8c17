import MadangCore
import MadangOperations
import SocketIOProtocol
import SocketIOServer

/// The configuration of the Socket.IO server.
func socketConfiguration(_ settings: ServerSettings, _ ledger: Ledger) -> SocketIOServer.Configuration {
  var configuration = SocketIOServer.Configuration()
  configuration.conduct = .lenient
  configuration.node = settings.node.isEmpty ? nil : settings.node
  configuration.allowEIO3 = settings.sockets.allowsEIO3
  configuration.pingInterval = .seconds(settings.sockets.pingInterval)
  configuration.pingTimeout = .seconds(settings.sockets.pingTimeout)
  // A proxy may call the server by another name, or leave out the port: clients still reach it by its public URL.
  configuration.allowedOrigins = SocketIOServer.AllowedOrigins(
    others: settings.sockets.origins + (PublicURL(settings.publicURL).map { [$0.origin] } ?? []))
  let trust = settings.peerTrust
  configuration.forwardedAuthority = { headers, peer in
    ClientAddress.forwardedHost(headers, peer: peer, trust: trust)
  }
  // Origins that may use sockets may also read the answers to polls.
  if !settings.sockets.origins.isEmpty {
    configuration.cors = .origins(Set(settings.sockets.origins.map { $0.lowercased() }), credentials: true)
  }
  configuration.allowJSONP = settings.sockets.allowsJSONP
  // Enough for a hundred rooms that a client joins at once before it reads.
  configuration.maxUnreadReplyBytes = 16_384
  configuration.maxSessions = settings.limits.sessions.total
  if settings.limits.loopPercent < 100 {
    configuration.connectionOwner = { connectionOwner($0, trust) }
    configuration.maxLoopPart = Double(settings.limits.loopPercent) / 100
  }
  configuration.reserveSession = { request in
    let client = ClientAddress(peer: request.remoteAddress, headers: request.headers, trust: trust)
    return ledger.place(.sessions, for: client.networkHash)
  }
  configuration.reserveMessage = { [size = configuration.maxHTTPBufferSize] request in
    let client = ClientAddress(peer: request.remoteAddress, headers: request.headers, trust: trust)
    return ledger.place(.memory, size, for: client.networkHash)
  }
  return configuration
}
