import MadangAPI

/// Where a session's tokens are kept between runs of a program: a keychain, a file, or nowhere.
public struct SessionStore: Sendable {
  /// Loads the stored tokens, or nil. Called once, at the first call.
  public var load: @Sendable () async throws -> Edition2024_10.Tokens?
  /// Stores the tokens, or removes them if nil: after signing in, renewing and signing out.
  public var save: @Sendable (Edition2024_10.Tokens?) async throws -> Void

  public init(
    load: @escaping @Sendable () async throws -> Edition2024_10.Tokens?,
    save: @escaping @Sendable (Edition2024_10.Tokens?) async throws -> Void
  ) {
    self.load = load
    self.save = save
  }

  /// Stores nothing: the session ends with the process.
  public static let inMemory = SessionStore(load: { nil }, save: { _ in })
}
