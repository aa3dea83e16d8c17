import Synchronization

/// Collects the settings that a value declares while it is initialised, and gives each of them what the operator wrote.
package final class SettingsReader: Sendable {
  @TaskLocal static var current: SettingsReader?

  private struct State {
    var section = ""
    var settings: [Setting] = []
    var mistakes: [String] = []
  }

  private let written: [String: WrittenSetting]
  private let state = Mutex(State())

  private init(_ written: [String: WrittenSetting]) { self.written = written }

  /// Initialises a value and lists the settings that it declares.
  /// - Parameter written: What the operator wrote, by key.
  /// - Returns: The mistakes name key, source and cure; a setting with one has its default.
  package static func read<Values>(
    _ make: () -> Values, from written: [String: WrittenSetting] = [:]
  ) -> (values: Values, settings: [Setting], mistakes: [String]) {
    let reader = SettingsReader(written)
    let values = $current.withValue(reader) { make() }
    let (settings, mistakes) = reader.state.withLock { ($0.settings, $0.mistakes) }
    return (values, settings, mistakes)
  }

  func value<Value>(
    of key: String, _ standard: Value, _ form: SettingForm<Value>, _ help: String, _ traits: [SettingTrait]
  ) -> Value {
    var (isSecret, isLive, variable) = (false, false, String?.none)
    for trait in traits {
      switch trait {
      case .secret: isSecret = true
      case .live: isLive = true
      case .customary(let name): variable = name
      }
    }
    let found = written[key]
    var (value, mistake) = (standard, String?.none)
    if let found {
      do { value = try form.read(found.text) } catch {
        mistake = "\(key) from \(found.source): \(error.words(isSecret ? "***" : found.text))"
      }
    }
    let shown = form.write(value)
    state.withLock {
      $0.settings.append(
        Setting(
          key: key, help: help, section: $0.section, isSecret: isSecret, isLive: isLive, customaryVariable: variable,
          value: shown, source: found?.source))
      if let mistake { $0.mistakes.append(mistake) }
    }
    return value
  }

  func under<Values>(_ section: String, _ values: () -> Values) -> Values {
    let outer = state.withLock { state in
      defer { state.section = section }
      return state.section
    }
    defer { state.withLock { $0.section = outer } }
    return values()
  }
}
