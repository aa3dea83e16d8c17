import ArgumentParser
import MadangOperations

struct AdminFiles: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "files", abstract: "Show how much room files and database take, and who has most files.",
    usage: "madang admin files [options]")

  @OptionGroup var options: AdminOptions

  func run() async throws {
    try await options.withData { administration, output in
      let files = try await administration.files()
      let largest =
        files.workspaces.map { ("workspace '\($0.name)'", "\($0.fileBytes) bytes") }
        + files.accounts.map { ("account \($0.email)", "\($0.fileBytes) bytes") }
      try output.object(
        files,
        [
          ("place", files.place), ("files", "\(files.files), \(files.fileBytes) bytes on this disk"),
          ("trash", "\(files.trash.files), \(files.trash.bytes) bytes, for \(files.trash.days) days"),
          ("database", "\(files.database) bytes"), ("database log", "\(files.log) bytes"),
          ("disk", "\(files.disk.free) of \(files.disk.size) bytes free"),
        ] + largest)
    }
  }
}
