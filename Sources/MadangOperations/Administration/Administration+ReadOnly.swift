import MadangAPI
import MadangCore

extension Administration {
  /// Whether the database is in read-only mode.
  public func readOnlyMode() async throws -> ReadOnlySummary { ReadOnlySummary(try await madang.readOnlyMode()) }

  /// Begins read-only mode: once this has returned, no server of the database commits changes by people.
  /// - Parameter reason: Up to 200 characters, for administrators.
  public func beginReadOnlyMode(reason: String) async throws -> ReadOnlySummary {
    ReadOnlySummary(try await madang.beginReadOnlyMode(reason: reason, by: administrator))
  }

  /// Ends it, if it is on.
  public func endReadOnlyMode() async throws -> ReadOnlySummary {
    _ = try await madang.endReadOnlyMode(by: administrator)
    return try await readOnlyMode()
  }
}

/// Whether a database is in read-only mode.
public struct ReadOnlySummary: Encodable, Sendable {
  public let isOn: Bool
  /// When it began; nil if it is off, as is the reason.
  public let since: String?
  public let reason: String?

  init(_ mode: ReadOnlyMode?) {
    isOn = mode != nil
    since = mode.map { WireDate.string($0.since) }
    reason = mode?.reason
  }
}
