import ArgumentParser
import Foundation
import MadangOperations

struct AdminUsersExport: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "export", abstract: "Write all data of an account into a ZIP archive.",
    usage: "madang admin users export <email> <file> [options]",
    discussion: """
      The archive has JSON and the uploaded files: profile, sessions, workspaces, coins, payments and chats; no \
      password and no token. Files that cannot be read are listed; the archive is still made, and the exit status is 1.
      """)

  @OptionGroup var options: AdminOptions
  @Argument(help: "The account's address.") var email: String
  @Argument(help: "A file that does not exist yet.", completion: .file(extensions: ["zip"])) var file: String

  func run() async throws {
    try await options.withData { administration, output in
      let export = try await administration.exportAccount(email, to: URL(filePath: file))
      for path in export.lost { Terminal.message("lost: \(path)") }
      try output.object(
        export,
        [
          ("export", export.path), ("chats", "\(export.chats)"), ("files", "\(export.files)"),
          ("lost", "\(export.lost.count)"),
        ])
      if !export.lost.isEmpty { throw Failure("the archive is made, but \(export.lost.count) files cannot be read") }
    }
  }
}
