/// What settings were read from, for the doctor.
public struct SettingsSources: Sendable {
  /// The file of settings, and files that have a secret.
  public let files: [String]
  /// Sentences about names in the file that have no effect.
  public let ignoredNames: [String]
  /// The same about variables of the environment.
  public let ignoredVariables: [String]

  public init(files: [String] = [], ignoredNames: [String] = [], ignoredVariables: [String] = []) {
    (self.files, self.ignoredNames, self.ignoredVariables) = (files, ignoredNames, ignoredVariables)
  }
}
