#if canImport(Testing)
  public import Testing

  /// What `.madang(...)` gives a test.
  public enum Madang {
    @TaskLocal fileprivate static var current: MadangWorld?

    /// The world of the test that runs. Only in tests, or suites, with `.madang(...)`.
    public static var world: MadangWorld {
      guard let current else {
        fatalError("Madang.world is for tests with the trait .madang(...), and for tasks that belong to them")
      }
      return current
    }
  }

  /// Gives each test a world of its own, and ends it afterwards: `@Test(.madang(seed: .courtyard)) func ...`. On a suite it
  /// counts for each of its tests.
  public struct MadangTrait: TestTrait, SuiteTrait, TestScoping {
    let seed: MadangSeed
    let number: UInt64?

    public var isRecursive: Bool { true }

    public func provideScope(
      for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
    ) async throws {
      try await MadangWorld.with(seed, number: number) { world in
        try await Madang.$current.withValue(world) { try await function() }
      }
    }
  }

  extension Trait where Self == MadangTrait {
    /// A world for each test.
    ///
    /// - Parameters:
    ///   - seed: How it begins.
    ///   - number: With a number all ids, tokens and names of files are the same each time, and the clock stands still until
    ///     it is moved.
    public static func madang(seed: MadangSeed = .courtyard, number: UInt64? = nil) -> Self {
      MadangTrait(seed: seed, number: number)
    }
  }
#endif
