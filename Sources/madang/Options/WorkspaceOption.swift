import ArgumentParser

struct WorkspaceOption: ParsableArguments {
  @Option(
    name: .shortAndLong,
    help: ArgumentHelp(
      "The workspace. Default: the one in use ('madang workspace use'), else the newest.", valueName: "name-or-id"))
  var workspace: String?
}
