import ArgumentParser

struct Profiles: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "profiles", abstract: "List the profiles: accounts on servers that commands can act as.",
    usage: "madang profiles [options]",
    discussion: """
      'madang login EMAIL --profile NAME --server URL' makes one, or signs in again; --profile NAME or MADANG_PROFILE \
      chooses one. The one in use is marked with '*'.
      """)

  @OptionGroup var option: ProfileOption
  @OptionGroup var printing: JSONOption

  func run() throws {
    let current = option.file
    let all = try ProfileFile.all().compactMap { file in
      try file.load().map { profile in
        Summary(
          name: file.name, server: profile.server, email: profile.email, signedIn: profile.tokens != nil,
          current: file.url == current.url)
      }
    }
    try printing.output.list(
      all,
      [
        Column("NAME") { ($0.current ? "* " : "  ") + $0.name }, Column("SERVER", \.server),
        Column("ACCOUNT") { ($0.email ?? "-") + ($0.signedIn ? "" : " (signed out)") },
      ], empty: "There are no profiles yet: sign up or in.")
  }

  private struct Summary: Encodable {
    let name: String
    let server: String
    let email: String?
    let signedIn: Bool
    let current: Bool
  }
}
