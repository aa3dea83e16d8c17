extension RecoveryState {
  struct Limits {
    var duration: Int64
    var sessions: Int
    var log: RecoveryLog<Message>.Limits
    var totalBytes: Int
    /// The maximum age of a logged event: the time that a lost connection may stay unnoticed, plus `duration`.
    var maxAge: Int64
  }

  /// A connected socket that can be recovered after a lost connection.
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
    /// The number of the last event that is in `missed` or needs no replay.
    var through: UInt64
  }
}
