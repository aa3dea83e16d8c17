/// Limits of administrators' accounts: constants that tests change. Durations are in milliseconds.
package struct AdministratorSettings: Sendable {
  /// Accounts.
  package var most = 100
  /// Sessions of one administrator; one more ends the session that was used longest ago.
  package var sessions = 10
  package var sessionLifetime: Int64 = 12 * 3_600_000
  /// An activity this soon after another one is not written.
  package var activityStep: Int64 = 10_000
  /// Links that are open at a time; one more ends the oldest.
  package var links = 20
  package var linkLifetime: Int64 = 30 * 60_000
  /// How long a new second step waits for its first code.
  package var pendingLifetime: Int64 = 10 * 60_000
  /// Failed attempts at one name, or from one address, in a window.
  package var tries = 5
  package var tryWindow: Int64 = 60_000
  /// Names and addresses whose attempts are counted; beyond it the oldest counts go.
  package var triers = 10_000
  /// Rows about refused attempts that the audit log takes in a window.
  package var refusals = 60
}
