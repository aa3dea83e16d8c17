import MadangAPI
import MadangServer

extension Setting {
  static let editions: [Setting] = [
    Setting(
      key: "keys", help: "API keys that 'madang admin keys' neither lists nor revokes: KEY=2024-10,KEY=2024-01",
      isSecret: true,
      read: { text, loaded throws(Invalid) in
        for pair in text.split(separator: ",") {
          let parts = pair.split(separator: "=").map(String.init)
          guard parts.count == 2, let edition = EditionName(rawValue: parts[1]) else {
            throw Invalid(cure: "write KEY=2024-10 or KEY=2024-01, more of them separated by commas")
          }
          loaded.settings.keys[parts[0]] = edition
        }
      }, show: { $0.settings.keys.isEmpty ? "" : "\($0.settings.keys.count) keys" }),
    Setting(
      key: "edition", help: "the only edition to speak, 2024-10 or 2024-01; empty for both",
      read: { text, loaded throws(Invalid) in
        let edition = EditionName(rawValue: text)
        guard edition != nil || text.isEmpty else { throw Invalid(cure: "write 2024-10 or 2024-01") }
        loaded.settings.edition = edition
      }, show: { $0.settings.edition?.rawValue ?? "" }),
    Setting(
      key: "timezones", help: "whose wall clock an edition's dates show: 2024-01=Asia/Seoul,2024-10=UTC",
      read: { text, loaded throws(Invalid) in
        for pair in text.split(separator: ",") {
          let parts = pair.split(separator: "=").map(String.init)
          guard parts.count == 2, let edition = EditionName(rawValue: parts[0]) else {
            throw Invalid(cure: "write 2024-01=Asia/Seoul, more of them separated by commas")
          }
          loaded.settings.timeZones[edition] = parts[1]
        }
      },
      show: { loaded in
        EditionName.allCases.map { "\($0.rawValue)=\(loaded.settings.timeZone(of: $0))" }.joined(separator: ",")
      }),
  ]
}
