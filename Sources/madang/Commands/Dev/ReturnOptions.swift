import ArgumentParser
import Foundation
import MadangDevelopment

/// The world to reset, and what happens to its sockets.
struct ReturnOptions: ParsableArguments {
  @OptionGroup var server: DevelopmentServerOptions
  @OptionGroup var printing: JSONOption
  @Flag(help: "Leave sockets in rooms where they may still be; else all are closed.") var keepSockets = false
  @Argument(help: "The world's id or name.") var id: String

  func put(_ path: String...) async throws {
    let body = Data(#"{"sockets":"\#(keepSockets ? "keep" : "close")"}"#.utf8)
    try printing.output.show(try await server.call(WorldSummary.self, .post, ["worlds", id] + path, body: body))
  }
}
