import MadangCore

/// Where entries of the audit log go besides the database, and which are left out.
public struct AuditSinkSettings: Sendable {
  public var refusalsPerMinute = setting(
    "audit.refusals.minute", 60, .integer(0...10_000),
    "failed sign-ins in a minute with an entry of their own; others are counted")
  public var file = setting(
    "audit.file", "", .text, "file to which entries are added as lines of JSON; empty for none")
  public var goesToSyslog = setting(
    "audit.syslog", false, .flag, "whether entries are sent to the system's log (/dev/log)")
  /// Entries that may wait for the file, and as many for the system's log; more are not sent there.
  package var waiting = 4096
  /// Where the system's log takes datagrams.
  package var syslogPath = "/dev/log"

  public init() {}
}
