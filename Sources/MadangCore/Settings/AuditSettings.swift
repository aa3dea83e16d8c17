public struct AuditSettings: Sendable {
  public var days = setting(
    "audit.days", 365, .integer(0...36_500), "days that entries of the audit log are kept; 0 for ever", .live)
  /// Unknown clients cause these rows: without a limit they could fill the disk.
  public var refusals = setting(
    "audit.refusals.kept", 100_000, .integer(0...100_000_000),
    "how many of the newest entries about failed sign-ins are kept", .live)

  public init() {}
}
