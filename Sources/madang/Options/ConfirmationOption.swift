import ArgumentParser
import Foundation

/// Asks for confirmation on the terminal. Without a terminal, `--yes` is required.
struct ConfirmationOption: ParsableArguments {
  @Flag(name: .shortAndLong, help: "Do not ask; needed without a terminal.")
  var yes = false

  /// - Throws: ``Failure`` unless the person agrees, `ValidationError` if there is no terminal to ask on.
  func confirm(_ question: String) throws {
    if yes { return }
    guard isatty(STDIN_FILENO) == 1 else {
      throw ValidationError("There is no terminal for the question: give --yes to confirm.")
    }
    Terminal.prompt(question + " [y/N] ")
    let answer = (readLine(strippingNewline: true) ?? "").lowercased()
    guard ["y", "yes"].contains(answer) else { throw Failure("nothing was done") }
  }
}
