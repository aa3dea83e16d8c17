#if canImport(Testing)
  public import Testing

  /// Access to the world of the current test, made by `.madang(...)`.
  public enum Madang {
    @TaskLocal fileprivate static var current: MadangWorld?

    /// The world of the current test. Available only in tests and suites with `.madang(...)`.
    public static var world: MadangWorld {
      guard let current else {
        // If it threw, all uses would need `try`.
        fatalError(
          "Madang.world is for tests with the trait .madang(...), and for tasks that belong to them: write @Test(.madang(...)) or @Suite(.madang(...))"
        )
      }
      return current
    }
  }

  /// Gives each test its own world, and ends it afterwards: `@Test(.madang(seed: .courtyard)) func ...`. On a suite it applies to each
  /// test.
  public struct MadangTrait: TestTrait, SuiteTrait, TestScoping {
    let seed: MadangSeed
    let number: UInt64?
    let settings: [String: String]

    public var isRecursive: Bool { true }

    public func provideScope(
      for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
    ) async throws {
      try await MadangWorld.with(seed, number: number, settings: settings) { world in
        try await Madang.$current.withValue(world) { try await function() }
      }
    }
  }

  extension Trait where Self == MadangTrait {
    /// A world for each test.
    ///
    /// - Parameters:
    ///   - seed: The initial content.
    ///   - number: With a number, all ids, tokens and file names are the same in each run, and the clock stands still until it is moved.
    ///   - settings: Settings of the server by name, as docs/reference/settings.md lists them.
    public static func madang(
      seed: MadangSeed = .courtyard, number: UInt64? = nil, settings: [String: String] = [:]
    ) -> Self {
      MadangTrait(seed: seed, number: number, settings: settings)
    }
  }
#endif
