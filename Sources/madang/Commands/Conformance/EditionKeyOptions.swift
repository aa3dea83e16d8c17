import ArgumentParser
import MadangAPI

/// The keys of a server, one per edition.
struct EditionKeyOptions: ParsableArguments {
  @Option(help: "The key of --edition.")
  var key: String?

  @Option(help: "The edition of --key, 2024-10 or 2024-01.")
  var edition = EditionName.october2024

  @Option(name: .customLong("key-2024-10"), help: ArgumentHelp("The key of the edition 2024-10.", valueName: "key"))
  var october: String?

  @Option(name: .customLong("key-2024-01"), help: ArgumentHelp("The key of the edition 2024-01.", valueName: "key"))
  var january: String?

  /// The option that gives the key of an edition.
  func option(of edition: EditionName) -> String {
    key != nil && edition == self.edition ? "--key KEY --edition \(edition.rawValue)" : "--key-\(edition.rawValue) KEY"
  }

  /// What is wrong about a key that belongs to the other edition, and what to do.
  func problem(withKeyOf edition: EditionName) -> String {
    let other = EditionName.allCases.first { $0 != edition } ?? edition
    let isShort = key != nil && edition == self.edition
    let cure = isShort ? "--key KEY --edition \(other.rawValue)" : "--key-\(other.rawValue) KEY"
    return "the key for edition \(edition.rawValue) is one of edition \(other.rawValue), so no rule was tried; "
      + "give it with \(cure)"
  }

  /// - Parameter isInDevelopment: Whether missing keys are replaced by the development keys.
  func given(isInDevelopment: Bool) -> [EditionName: String] {
    var keys: [EditionName: String] = [:]
    keys[.october2024] = october
    keys[.january2024] = january
    if let key { keys[edition] = key }
    guard keys.isEmpty, isInDevelopment else { return keys }
    return Dictionary(uniqueKeysWithValues: EditionName.allCases.map { ($0, $0.developmentKey) })
  }
}

extension EditionName: ExpressibleByArgument {}
