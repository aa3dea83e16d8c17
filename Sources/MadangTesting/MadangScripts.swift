import MadangDevelopment

/// What people of a world do by themselves: the scripts of its seed, and scripts that are added (docs/reference/dev.md). Delays and rates
/// follow the world's clock. All calls throw ``MadangTestingError``.
public struct MadangScripts: Sendable {
  let scripts: Scripts

  /// What a script has done since it was started.
  public struct Outcome: Sendable {
    /// The number of completed runs.
    public let runs: Int
    /// The number of runs that failed.
    public let failed: Int
    /// The first failures, as messages.
    public let failures: [String]
  }

  /// Adds one script or a list of them, written in YAML or JSON.
  public func add(_ text: String) async throws {
    try await MadangTestingError.wording { _ = try await scripts.add(try Script.read(text)) }
  }

  /// Starts a script from its beginning.
  public func start(_ name: String) async throws {
    try MadangTestingError.wording { _ = try scripts.start(name) }
  }

  /// Stops a script and its runs. Their effects stay.
  public func stop(_ name: String) async throws {
    try await MadangTestingError.wording { try await scripts.stop(name) }
  }

  /// Stops a script and removes it.
  public func remove(_ name: String) async throws {
    try await MadangTestingError.wording { try await scripts.remove(name) }
  }

  /// The names of all scripts, in the order in which they were added.
  public var names: [String] { scripts.reports.map(\.name) }

  /// Waits until a script has finished. Throws if it still runs when the time is over, and if it was never started.
  /// - Parameters:
  ///   - time: In real time, an hour at most.
  ///   - allowingFailures: Whether runs may have failed; otherwise the first failure is thrown.
  @discardableResult
  public func finished(
    _ name: String, within time: MadangTime = .seconds(5), allowingFailures: Bool = false
  ) async throws -> Outcome {
    try await outcome(name, after: nil, time, allowingFailures) {
      ![.running, .ready].contains($0.state) && $0.underWay == 0
    }
  }

  /// Waits until this many runs of a script are complete. Throws if they are not when the time is over.
  /// - Parameters:
  ///   - time: In real time, an hour at most.
  ///   - allowingFailures: Whether runs may have failed; otherwise the first failure is thrown.
  @discardableResult
  public func ran(
    _ name: String, _ runs: Int, within time: MadangTime = .seconds(5), allowingFailures: Bool = false
  ) async throws -> Outcome {
    try await outcome(name, after: runs, time, allowingFailures) { $0.runs >= runs }
  }

  private func outcome(
    _ name: String, after runs: Int?, _ time: MadangTime, _ allowingFailures: Bool, _ isDone: (ScriptReport) -> Bool
  ) async throws -> Outcome {
    let time = try time.duration(of: "within", limit: .seconds(3600))
    let report = try await MadangTestingError.wording {
      try await scripts.report(of: name, after: runs, within: time)
    }
    guard isDone(report) else {
      let done = "\(report.runs) runs have ended, \(report.underWay) still run"
      throw MadangTestingError(description: "the script '\(name)' did not end within \(time): \(done)")
    }
    if let failure = report.failures.first, !allowingFailures {
      throw MadangTestingError(
        description:
          "\(report.failed) of \(report.runs) runs of the script '\(name)' failed, the first one: \(failure.error)")
    }
    return Outcome(runs: report.runs, failed: report.failed, failures: report.failures.map(\.error))
  }
}
