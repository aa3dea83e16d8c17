import MadangCore

/// Further targets of the audit log, and the limit of its failed sign-ins.
public struct AuditSinkSettings: Sendable {
  public var refusalsPerMinute = setting(
    "audit.refusals.minute", 60, .integer(0...10_000),
    "failed sign-ins in a minute that get their own entry; further ones are only counted")
  public var file = setting(
    "audit.file", "", .text, "file that also gets each entry, as a line of JSON; empty for none")
  /// Entries that may wait for the file; further ones are not written there.
  package var waiting = 4096

  public init() {}
}
