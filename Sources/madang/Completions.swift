import ArgumentParser

struct Completions: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "completions", abstract: "Print a completion script for a shell.",
    usage: "madang completions bash|zsh|fish",
    discussion: """
      bash: madang completions bash > ~/.local/share/bash-completion/completions/madang
      zsh:  madang completions zsh > a folder of fpath/_madang
      fish: madang completions fish > ~/.config/fish/completions/madang.fish
      """)

  @Argument(
    help: "bash, zsh or fish.", completion: .list(["bash", "zsh", "fish"]),
    transform: { name in
      guard let shell = CompletionShell(rawValue: name) else { throw ValidationError("bash, zsh or fish?") }
      return shell
    })
  var shell: CompletionShell

  func run() throws { try Terminal.line(Madang.completionScript(for: shell)) }
}
