import ArgumentParser

/// The command that arguments call.
struct CalledCommand {
  /// The words that call it, `madang` first.
  private(set) var words = ["madang"]
  /// The program itself until a command was named.
  private(set) var type: any ParsableCommand.Type = Madang.self
  /// The argument in whose place a command is missing, if it is none.
  private var stranger: String?

  /// Follows the names of commands, up to the first argument that is none.
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

  /// Throws `ValidationError` for a command that there is not, with the one that was meant.
  func refuseStranger() throws {
    guard let stranger else { return }
    let call = words.joined(separator: " ")
    let names = type.configuration.subcommands.map(Self.name)
    let guess = Spelling.nearest(to: stranger, among: names).map { "; did you mean '\(call) \($0)'?" } ?? "."
    throw ValidationError("There is no command '\(call) \(stranger)'\(guess)")
  }

  /// What is said of an error, with the usage of the command.
  /// - Parameter command: What is to explain itself; of a group without a name behind it, its default.
  func message(for error: any Error, of command: any ParsableCommand.Type) -> String {
    let call = words.joined(separator: " ")
    return command.fullMessage(for: error)
      .replacing("\nUsage: \(Self.name(of: command)) ", with: "\nUsage: \(call) ")
      .replacing(/See '[^']* --help'/, with: "See '\(call) --help'")
  }

  /// Of a group whose default command has arguments, any word may be one.
  private var takesArguments: Bool {
    type.configuration.defaultSubcommand.map { Madang.helpMessage(for: $0).contains("ARGUMENTS:") } ?? false
  }

  /// By which a command is called.
  static func name(of type: any ParsableCommand.Type) -> String {
    type.configuration.commandName ?? "\(type)".lowercased()
  }
}
