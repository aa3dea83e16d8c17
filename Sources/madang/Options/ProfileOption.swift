import ArgumentParser
import Foundation

struct ProfileOption: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "The profile: a name, or a path with '/'. Default: MADANG_PROFILE, else 'default'.", valueName: "name"))
  var profile: String?

  func validate() throws {
    if chosen.isEmpty || chosen.hasPrefix(".") && !chosen.contains("/") {
      throw ValidationError(
        "'\(chosen)' cannot be the name of a profile: begin it with a letter, or write a path with '/'.")
    }
  }

  var file: ProfileFile { ProfileFile(named: chosen) }

  private var chosen: String { profile ?? Environment.current.profile ?? "default" }
}
