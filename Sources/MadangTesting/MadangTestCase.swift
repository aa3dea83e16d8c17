#if canImport(XCTest)
  public import XCTest

  /// A test case for XCTest: each of its tests has its own world.
  open class MadangTestCase: XCTestCase {
    /// The world of the test that runs.
    public private(set) var world: MadangWorld!

    /// The initial content of the worlds; the `courtyard` seed by default.
    open var seed: MadangSeed { .courtyard }
    /// With a number, all ids, tokens and file names are the same in each run, and the clock stands still until it is moved.
    open var number: UInt64? { nil }
    /// Settings of the server by name, as docs/reference/settings.md lists them.
    open var settings: [String: String] { [:] }

    open override func setUp() async throws {
      try await super.setUp()
      world = try await MadangWorld(seed, number: number, settings: settings)
    }

    open override func tearDown() async throws {
      await world?.end()
      world = nil
      try await super.tearDown()
    }
  }
#endif
