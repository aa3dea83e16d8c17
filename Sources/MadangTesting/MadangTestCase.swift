#if canImport(XCTest)
  public import XCTest

  /// The same for XCTest: a test case whose tests each have a world of their own.
  open class MadangTestCase: XCTestCase {
    /// The world of the test that runs.
    public private(set) var world: MadangWorld!

    /// How worlds begin; the courtyard unless a subclass says otherwise.
    open var seed: MadangSeed { .courtyard }
    /// With a number all ids, tokens and names of files are the same each time, and the clock stands still until it is moved.
    open var number: UInt64? { nil }

    open override func setUp() async throws {
      try await super.setUp()
      world = try await MadangWorld(seed, number: number)
    }

    open override func tearDown() async throws {
      await world?.end()
      world = nil
      try await super.tearDown()
    }
  }
#endif
