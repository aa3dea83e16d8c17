import ArgumentParser
import Foundation
import MadangDevelopment

/// The world to reset or restore.
struct ReturnOptions: ParsableArguments {
  @OptionGroup var server: DevelopmentServerOptions
  @OptionGroup var printing: JSONOption
  @Argument(help: "The world's id or name.") var id: String

  func put(_ path: String...) async throws {
    try printing.output.show(try await server.call(WorldSummary.self, .post, ["worlds", id] + path))
  }
}
