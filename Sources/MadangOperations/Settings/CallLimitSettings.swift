import MadangCore

/// Limits that answer `E98` (wire contract, Call limits). Counts are calls in a window; 0 turns a limit off.
public struct CallLimitSettings: Sendable {
  /// Of one session, or of one address for calls without a session. 0 also turns off the limits of accounts and addresses.
  public var requests = setting(
    "limits.requests", 600, .integer(),
    "calls in 10 s by one session, or by one address without a session; 0 turns off this limit and the next three")
  public var accountRequests = setting(
    "limits.requests.account", 1500, .integer(),
    "calls and socket connects to rooms in 10 s by all sessions of one account; 0 for no limit")
  public var addressRequests = setting(
    "limits.requests.address", 5000, .integer(),
    "calls and socket connects to rooms in 10 s from one address, by all its sessions; 0 for no limit")
  public var signUps = setting(
    "limits.signups", 300, .integer(),
    "accounts created in an hour from one address; 0 for no limit, as in development mode")
  public var connects = setting(
    "limits.connects", 1000, .integer(),
    "socket connects to rooms in 10 s by one session or address; 0 for no limit")
  public var refreshes = setting(
    "limits.refreshes", 10, .integer(),
    "token refreshes in 10 s by one session, not counting those after its access token expired; 0 for no limit")
  /// Refreshes of one session that `refreshes` does not count: with its expired access token, or one for each `E05`. As
  /// many in all as `E05`s were answered: clients refresh for each request that met the expiry.
  public var expiredRefreshes = 100
  /// Replaces `refreshes` while requests come with an expired token of the session: a client that repeats its old token
  /// takes any answer to a refresh for a new token.
  public var refreshesWithDeadToken = 20
  /// Counted refreshes after which a request with an expired token of the session is answered `E98`.
  public var refreshesBeforeDeadToken = 5
  public var refusedRefreshes = setting(
    "limits.refused.refreshes", 10, .integer(),
    "token refreshes in 10 s with one unknown or expired refresh token; 0 for no limit")
  /// Milliseconds. Clients refresh several times at one expiry, the later ones with the new token.
  public var expiryGrace: Int64 = setting(
    "limits.expiry.grace", 5000, .seconds,
    "2024-01: seconds after an E05 in which one refresh with a valid token is allowed")
  public var unknownTokens = setting(
    "limits.unknown.tokens", 10, .integer(), "calls in 10 s with one unknown token; 0 for no limit")
  public var signInFailures = setting(
    "limits.signin.failures", 10, .integer(),
    "failed sign-ins of one account in 5 min from one address; 0 for no limit")
  /// Beyond it, one attempt is let through from time to time.
  public var signInFailuresAnywhere = setting(
    "limits.signin.failures.anywhere", 100, .integer(),
    "failed sign-ins of one account in 5 min from addresses that it did not use recently; 0 for no limit")
  /// Beyond it, one attempt is let through from time to time.
  public var signInFailuresFromAddress = setting(
    "limits.signin.failures.address", 100, .integer(),
    "failed sign-ins in 5 min from one address, of accounts that did not use it recently; 0 for no limit")
  /// The window in milliseconds, for all limits except sign-in failures and sign-ups.
  public var window: Int64 = 10_000
  public var signInWindow: Int64 = 300_000
  public var signUpWindow: Int64 = 3_600_000
  /// How many callers are remembered; beyond it the oldest windows are removed.
  public var maxCallers = 100_000

  public init() {}
}
