extension RecoveryState {
  struct Limits {
    var duration: Int64
    var sessions: Int
    var log: RecoveryLog<Message>.Limits
    var totalBytes: Int
    /// How old a logged event may become: the time a lost connection may stay unnoticed, then `duration`.
    var maxAge: Int64
  }

  /// A socket that is connected and may be recovered once it is not.
  struct Live: Equatable {
    var namespace: String
    var id: String
    var shard: Int
    /// The number of the last event before it joined.
    var joinedAt: UInt64
  }

  struct Restored {
    var socket: Parked
    var missed: [Message]
    /// The number of the last event that is among `missed` or needs no replay.
    var through: UInt64
  }
}
