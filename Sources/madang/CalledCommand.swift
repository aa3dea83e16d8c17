import ArgumentParser
import MadangCore

/// The command that the arguments name.
struct CalledCommand {
  /// The words that name it, starting with `madang`.
  private(set) var words = ["madang"]
  /// The program itself until an argument names a command.
  private(set) var type: any ParsableCommand.Type = Madang.self
  /// The argument that should name a command but does not.
  private var stranger: String?

  /// Follows the names of commands up to the first argument that is not one.
  init(_ arguments: some Sequence<String>) {
    for argument in arguments {
      let children = type.configuration.subcommands
      if let child = children.first(where: { Self.name(of: $0) == argument }) {
        words.append(argument)
        type = child
        continue
      }
      let isNamed = !argument.hasPrefix("-") && !(words.count == 1 && argument == "help")
      if isNamed, !children.isEmpty, !takesArguments { stranger = argument }
      return
    }
  }

  /// Throws `ValidationError` for an unknown command, with the most similar known one.
  func refuseStranger() throws {
    guard let stranger else { return }
    let call = words.joined(separator: " ")
    let names = type.configuration.subcommands.map(Self.name)
    let guess = Spelling.nearest(to: stranger, among: names).map { "; did you mean '\(call) \($0)'?" } ?? "."
    throw ValidationError("There is no command '\(call) \(stranger)'\(guess)")
  }

  /// The message of an error, with the usage of the command.
  /// - Parameter command: The command whose usage is shown; for a group, its default command.
  func message(for error: any Error, of command: any ParsableCommand.Type) -> String {
    let call = words.joined(separator: " ")
    return command.fullMessage(for: error)
      .replacing("\nUsage: \(Self.name(of: command)) ", with: "\nUsage: \(call) ")
      .replacing(/See '[^']* --help'/, with: "See '\(call) --help'")
  }

  /// Whether any word may be an argument, because the group's default command has arguments.
  private var takesArguments: Bool {
    type.configuration.defaultSubcommand.map { Madang.helpMessage(for: $0).contains("ARGUMENTS:") } ?? false
  }

  /// The name by which a command is called.
  static func name(of type: any ParsableCommand.Type) -> String {
    type.configuration.commandName ?? "\(type)".lowercased()
  }
}
