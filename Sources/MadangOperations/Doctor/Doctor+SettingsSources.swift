import Foundation
import MadangCore

extension DoctorFinding {
  /// Names of settings that have no effect.
  public static func ignored(_ sources: SettingsSources) -> [DoctorFinding] {
    sources.ignoredVariables.map {
      DoctorFinding(.unknownVariables, .warning, $0, cure: "remove it from the environment, or correct its name")
    } + sources.ignoredNames.map { DoctorFinding(.settings, .warning, $0, cure: "leave it out of the file") }
  }

  /// Files of settings that every user can read.
  public static func readableSettings(_ files: [String]) -> [DoctorFinding] {
    files.filter { FileMode(URL(filePath: $0))?.isOpenToAll ?? false }.map { file in
      DoctorFinding(
        .settingsPrivacy, .error, "every user of this machine can read \(file), which may hold passwords",
        cure: "chmod o= '\(file)', and change the secrets in it if others could read them")
    }
  }
}
