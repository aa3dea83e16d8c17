import Logging

extension LoopShard {
  func makeSessionID(for handshake: Handshake) -> String {
    let node = core.configuration.node
    if let make = core.configuration.sessionID {
      if let id = SessionID.make(make(.init(handshake)), shard: index, node: node), sessions[id] == nil { return id }
      core.advise(.warning, "What sessionID made cannot be a session's id, or already is one; a random one is used")
    }
    return SessionID.make(shard: index, node: node)
  }
}
