import MadangCore
import MadangOperations

/// The settings that a new world is given, by name, as texts of a settings file.
package struct WorldSettings: Hashable, Sendable {
  package let written: [String: String]

  package init(_ written: [String: String] = [:]) { self.written = written }

  /// How many mistakes an error lists.
  private static let maxMistakes = 20

  /// Beginnings of names, and why worlds cannot have such a setting.
  private static let refused: [(names: [String], reason: String)] = [
    (["host", "port", "operations"], "a world listens where its server does; its port is 'port' beside 'settings'"),
    (["tls."], "worlds have no TLS"),
    (["public.url"], "a world's own address is its URL"),
    (["data", "database.", "node"], "a world has its own database in a directory of its own"),
    (["files.home", "s3."], "a world keeps its files in its own directory"),
    (["dev", "keys"], "a world has development mode, token and keys of its server"),
    (
      ["trusted.proxies", "http.proxy.protocol", "loopback.clients", "metrics.public"],
      "a world has the access rules of its server"
    ),
    (
      ["providers.", "payments.", "apple.", "kakao.", "push.firebase.", "push.apns."],
      "worlds have stand-ins for providers"
    ),
    (
      ["mail.smtp", "mail.user", "mail.password", "mail.oauth.", "mail.tls", "mail.timeout", "mail.answer"],
      "worlds keep mails instead of sending them"
    ),
    (["web.admin"], "worlds have no administrators"),
    (["tokens.key", "audit.file", "password.threads", "log."], "the server that makes the world has this one"),
  ]

  private static let declared = SettingsReader.read { ServerSettings() }.settings.map(\.key)
  /// Settings of the process, not of a server.
  private static let others = ["dev.kit", "dev.lan", "log.level", "log.format"]

  /// Why a world cannot have a setting; nil if it can.
  static func refusal(of name: String) -> String? {
    guard declared.contains(name) || others.contains(name) else {
      return FormerSettings.unknown(name, declared.filter { reason(against: $0) == nil })
    }
    return reason(against: name).map { "a world cannot have this setting: \($0)" }
  }

  private static func reason(against name: String) -> String? {
    refused.first { entry in
      entry.names.contains { name == $0 || name.hasPrefix($0.hasSuffix(".") ? $0 : $0 + ".") }
    }?.reason
  }

  /// Server settings with the given ones, and the rest from the world's usual ones.
  /// - Parameter usual: Applies the values that worlds have without `settings`, each unless its name is given.
  /// - Throws: ``WorldError`` with all mistakes, as a server words them at its start.
  func applied(_ usual: (inout ServerSettings, _ isGiven: (String) -> Bool) -> Void) throws(WorldError)
    -> ServerSettings
  {
    let given = written.mapValues { WrittenSetting($0, from: "settings") }
    var (settings, _, mistakes) = SettingsReader.read({ ServerSettings() }, from: given)
    usual(&settings) { written[$0] != nil }
    mistakes += written.keys.sorted().compactMap { name in
      Self.refusal(of: name).map { "\(BadCall.shortened(name)) from settings: \($0)" }
    }
    if mistakes.isEmpty {
      var whole = settings
      // A world gets its URL when it has its port.
      whole.publicURL = "http://127.0.0.1"
      mistakes = whole.problems()
    }
    guard mistakes.isEmpty else {
      throw WorldError("settings: " + mistakes.prefix(Self.maxMistakes).joined(separator: "\n"))
    }
    return settings
  }
}

/// The settings of a world as JSON has them: one name with dots for each, or objects within objects, as in a settings file.
struct GivenSettings: Decodable {
  let settings: WorldSettings

  init(from decoder: any Decoder) throws {
    guard case .object(let fields) = try JSONValue(from: decoder) else {
      throw BadCall(#"settings: an object of names and values, such as {"socket.ping.interval": 5}"#)
    }
    var written: [String: String] = [:]
    try Self.collect(fields, below: "", into: &written)
    settings = WorldSettings(written)
  }

  private static func collect(
    _ fields: [String: JSONValue], below name: String, into written: inout [String: String]
  ) throws(BadCall) {
    for (field, value) in fields {
      let name = name.isEmpty ? field : "\(name).\(field)"
      let text: String
      switch value {
      case .object(let fields):
        try collect(fields, below: name, into: &written)
        continue
      case .text(let word): text = word
      case .number(let number): text = Int64(exactly: number).map { "\($0)" } ?? "\(number)"
      case .flag(let flag): text = "\(flag)"
      case .null: throw BadCall("settings.\(BadCall.shortened(name)): has no value; leave it out for the default")
      case .list:
        throw BadCall("settings.\(BadCall.shortened(name)): write one text with commas, not a list")
      }
      guard written.updateValue(text, forKey: name) == nil else {
        throw BadCall("settings.\(BadCall.shortened(name)): is there twice; write it once")
      }
    }
  }
}
