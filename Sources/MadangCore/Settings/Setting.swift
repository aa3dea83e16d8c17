/// One setting, as it was declared and read.
package struct Setting: Sendable {
  /// Its name in files. On the command line and in the environment it follows from this one.
  package let key: String
  package let help: String
  /// The heading under which it is listed.
  package let section: String
  package let isSecret: Bool
  /// Whether a running server takes another value (SIGHUP). Others need a restart.
  package let isLive: Bool
  /// A variable of the environment that other programs use for the same, read last.
  package let customaryVariable: String?
  /// Its value, as settings are written.
  package let value: String
  /// Where the value comes from; nil for the default.
  package let source: String?

  /// The value for people; nothing of a secret.
  package var shown: String { isSecret && !value.isEmpty ? "***" : value }
}

/// What an operator wrote for a setting.
package struct WrittenSetting: Sendable {
  package let text: String
  /// Where it was found, in words.
  package let source: String

  package init(_ text: String, from source: String) { (self.text, self.source) = (text, source) }
}

package enum SettingTrait: Sendable {
  /// A running server takes another value.
  case live
  /// No command shows the value.
  case secret
  /// A variable of the environment that other programs use for the same.
  case customary(String)
}

/// Declares a setting, as the initial value of the property that holds it:
///
///     public var days = setting("audit.days", 365, .integer(0...36_500), "days entries are kept; 0 for ever", .live)
///
/// The property starts with the default; within ``SettingsReader/read(_:from:)`` it starts with what the operator wrote. The variable of
/// the environment, the key in files, `--print-config`, `docs/reference/settings.md` and SIGHUP all follow from this declaration.
package func setting<Value>(
  _ key: String, _ standard: Value, _ form: SettingForm<Value>, _ help: String, _ traits: SettingTrait...
) -> Value {
  guard let reader = SettingsReader.current else { return standard }
  return reader.value(of: key, standard, form, help, traits)
}

/// Puts the settings that `values` declares under a heading, unless they name another one.
package func section<Values>(_ name: String, _ values: @autoclosure () -> Values) -> Values {
  guard let reader = SettingsReader.current else { return values() }
  return reader.under(name, values)
}
