import Logging

extension LoopShard {
  func makeSessionID(for handshake: Handshake) -> String {
    let node = core.configuration.node
    if let make = core.configuration.sessionID {
      if let id = SessionID.make(make(.init(handshake)), shard: index, node: node), sessions[id] == nil { return id }
      core.advise(.warning, "sessionID returned an invalid id or one in use; a random one is used instead")
    }
    return SessionID.make(shard: index, node: node)
  }
}
