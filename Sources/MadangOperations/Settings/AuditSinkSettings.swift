import MadangCore

/// Further targets of the audit log, and the limit of its failed sign-ins.
public struct AuditSinkSettings: Sendable {
  public var refusalsPerMinute = setting(
    "audit.refusals.minute", 60, .integer(0...10_000),
    "failed sign-ins in a minute that get their own entry; further ones are only counted")
  public var file = setting(
    "audit.file", "", .text, "file that also gets each entry, as a line of JSON; empty for none")
  public var goesToSyslog = setting(
    "audit.syslog", false, .flag, "whether entries are also sent to the system's log (/dev/log)")
  /// Entries that may wait for the file, and as many for the system's log; further ones are not sent there.
  package var waiting = 4096
  /// The datagram socket of the system's log.
  package var syslogPath = "/dev/log"

  public init() {}
}
