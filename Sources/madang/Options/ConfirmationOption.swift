import ArgumentParser
import Foundation

/// For what has to be meant: asks on the terminal. Without a terminal `--yes` must say that it is meant.
struct ConfirmationOption: ParsableArguments {
  @Flag(name: .shortAndLong, help: "Do not ask; needed where there is no terminal.")
  var yes = false

  /// - Throws: ``Failure`` unless the person agrees, `ValidationError` where nobody can be asked.
  func confirm(_ question: String) throws {
    if yes { return }
    guard isatty(STDIN_FILENO) == 1 else {
      throw ValidationError("There is no terminal to ask on: give --yes if you mean it.")
    }
    Terminal.prompt(question + " [y/N] ")
    let answer = (readLine(strippingNewline: true) ?? "").lowercased()
    guard ["y", "yes"].contains(answer) else { throw Failure("nothing was done") }
  }
}
