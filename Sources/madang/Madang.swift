import ArgumentParser
import Foundation
import MadangClient

@main
struct Madang: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "madang",
    abstract: "A self-hosted chat backend and its command-line client.",
    discussion: """
      The server comes from --server, from MADANG_SERVER, or from the profile that signing in saved \
      (--profile, MADANG_PROFILE, else 'default'; kept in madang/profiles under XDG_CONFIG_HOME or ~/.config). A ROOM is '#channel' or \
      @nickname or @email in the current workspace; quote the '#' for the shell.

      Exit status: 0 done, 1 refused or failed, 64 wrong usage, 69 the server cannot be reached, 74 it is unknown \
      whether a chat was posted.

      This is version \(Version.text).
      'madang --version --licences' prints the licences of its parts.
      """,
    version: "madang \(Version.text)",
    groupedSubcommands: [
      CommandGroup(
        name: "Server", subcommands: [SetupCommand.self, Serve.self, AdminCommand.self, DoctorCommand.self]),
      CommandGroup(
        name: "Account",
        subcommands: [
          SignUp.self, LogIn.self, LogOut.self, WhoAmI.self, ProfileCommand.self, CoinsCommand.self, StoreCommand.self,
          Profiles.self,
        ]),
      CommandGroup(name: "Places", subcommands: [WorkspaceCommand.self, ChannelCommand.self, DMCommand.self]),
      CommandGroup(
        name: "Talk",
        subcommands: [
          Say.self, History.self, UnreadCommand.self, Watch.self, ChatCommand.self, FileCommand.self,
        ]),
      CommandGroup(name: "Tests", subcommands: [DevCommand.self, ConformanceCommand.self, EditionOf.self]),
      CommandGroup(name: "Manual", subcommands: [Man.self, Completions.self]),
    ])

  static func main() async {
    if Set(CommandLine.arguments.dropFirst()) == Licences.arguments { return print(Licences.text, terminator: "") }
    let called = CalledCommand(CommandLine.arguments.dropFirst())
    // The command whose help is shown with an error: the named one, until the arguments are parsed.
    var kind = called.type
    do {
      try called.refuseStranger()
      try NegativeNumber.refuse(in: CommandLine.arguments.dropFirst())
      var command = try parseAsRoot()
      kind = type(of: command)
      // A group prints the help of its commands.
      guard kind.configuration.subcommands.isEmpty else { return print(helpMessage(for: kind)) }
      if var command = command as? any AsyncParsableCommand {
        try await command.run()
      } else {
        try command.run()
      }
    } catch let error as MadangError {
      Terminal.problem("madang: \(error)" + (error.cure.map { "; \($0)" } ?? ""))
      exit(withError: ExitCode(error.exitStatus.rawValue))
    } catch let failure as Failure {
      Terminal.problem("madang: \(failure.message)")
      exit(withError: ExitCode(failure.status.rawValue))
    } catch let error as ValidationError {
      for line in called.message(for: error, of: kind).split(separator: "\n") { Terminal.message(String(line)) }
      exit(withError: exitCode(for: error))
    } catch {
      let status = kind.exitCode(for: error)
      guard !status.isSuccess else { kind.exit(withError: error) }
      // Empty if the command has printed everything and ends with a status only.
      let words = kind.fullMessage(for: error)
      if !words.isEmpty { Terminal.problem(words) }
      exit(withError: status)
    }
  }
}
