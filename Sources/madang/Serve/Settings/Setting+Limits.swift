import MadangServer

extension Setting {
  static let limits: [Setting] = [
    integer(
      "limits.requests",
      "calls in 10 s of one session, or of one address without one; 0 turns off this limit and the next three",
      \.settings.callLimits.requests),
    integer(
      "limits.requests.account",
      "calls, and connects of sockets to rooms, in 10 s of all sessions of one account; 0 for no limit",
      \.settings.callLimits.accountRequests),
    integer(
      "limits.requests.address",
      "calls, and connects of sockets to rooms, in 10 s from one address with any sessions; 0 for no limit",
      \.settings.callLimits.addressRequests),
    integer(
      "limits.signups", "accounts made in an hour from one address; 0 for no limit, as in development mode",
      \.settings.callLimits.signUps),
    integer(
      "limits.connects", "connects of sockets to rooms in 10 s of one session or address; 0 for no limit",
      \.settings.callLimits.connects),
    integer(
      "limits.refreshes",
      "refreshes in 10 s of one session, but for those that its expired access token excuses; 0 for no limit",
      \.settings.callLimits.refreshes),
    integer(
      "limits.expired.refreshes",
      "refreshes in 10 s of one session that limits.refreshes does not count: with its expired access token, or one for "
        + "each E05",
      \.settings.callLimits.expiredRefreshes),
    integer(
      "limits.dead.token.refreshes", "refreshes in 10 s of one session that still sends its expired access token",
      \.settings.callLimits.refreshesWithDeadToken),
    integer(
      "limits.loop.refreshes", "refreshes in 10 s after which an expired access token is answered E98, not E05",
      \.settings.callLimits.refreshesBeforeDeadToken),
    integer(
      "limits.refused.refreshes", "refreshes in 10 s with one unknown or expired refresh token; 0 for no limit",
      \.settings.callLimits.refusedRefreshes),
    milliseconds(
      "limits.expiry.grace", "2024-01: seconds after an E05 in which one refresh with a valid token is allowed",
      \.settings.callLimits.expiryGrace),
    integer(
      "limits.unknown.tokens", "calls in 10 s with one unknown token; 0 for no limit",
      \.settings.callLimits.unknownTokens),
    integer(
      "limits.signin.failures", "failed sign-ins of one account in 5 min from one address; 0 for no limit",
      \.settings.callLimits.signInFailures),
    integer(
      "limits.signin.failures.anywhere",
      "failed sign-ins of one account in 5 min from addresses where it is not known; 0 for no limit",
      \.settings.callLimits.signInFailuresAnywhere),
    integer(
      "limits.signin.failures.address",
      "failed sign-ins in 5 min from one address, of all accounts that are not known there; 0 for no limit",
      \.settings.callLimits.signInFailuresFromAddress),
    integer("limits.connections", "connections at a time", \.settings.connections.total, 1...Int.max),
    integer(
      "limits.connections.address", "the same from one address", \.settings.connections.perAddress, 1...Int.max),
    integer("limits.sessions", "sessions of sockets at a time", \.settings.socketSessions.total, 1...Int.max),
    integer("limits.sessions.address", "the same from one address", \.settings.socketSessions.perAddress, 1...Int.max),
    integer("limits.held", "connects of sockets that may wait for membership", \.settings.heldConnects.total),
    integer("limits.held.address", "the same from one address", \.settings.heldConnects.perAddress),
    integer(
      "limits.memory", "bytes of bodies, and of long answers until they are read, in memory at a time",
      \.settings.bodyMemory.total, 1...Int.max
    ),
    integer(
      "limits.memory.address", "the same of one address or account", \.settings.bodyMemory.perAddress, 1...Int.max
    ),
    integer("limits.uploads", "bytes of files that arrive at a time", \.settings.uploadsOnDisk.total, 1...Int.max),
    integer("limits.uploads.address", "the same from one address", \.settings.uploadsOnDisk.perAddress, 1...Int.max),
    integer(
      "limits.downloads", "downloads from a bucket at a time", \.settings.bucketDownloads.total, 1...Int.max),
    integer(
      "limits.downloads.address", "the same from one address", \.settings.bucketDownloads.perAddress, 1...Int.max),
    integer(
      "limits.hashing", "passwords of one address that may wait to be hashed", \.settings.hashingPerAddress, 1...1024),
    integer(
      "limits.loop", "percent of the event loops' time that one address may take while others send; 100 for no limit",
      \.settings.loopPercent, 1...100),
    integer(
      "limits.log", "lines a minute in the log about sign-ins and refusals", \.settings.securityLinesPerMinute,
      1...Int.max),
    integer(
      "limits.log.failures", "lines a minute in the log about requests and sockets that failed unexpectedly",
      \.settings.failureLinesPerMinute, 1...Int.max),
    integer("limits.body", "bytes of a request", \.settings.body.request, 1...Int.max),
    integer("limits.text", "bytes of a JSON or form body", \.settings.body.text, 1...Int.max),
  ]
}
