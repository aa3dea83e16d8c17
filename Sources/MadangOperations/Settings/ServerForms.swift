import Foundation
import MadangAPI
import MadangCore

extension SettingForm where Value == String {
  /// An IPv6 address may be written as in a URL; sockets take it without brackets.
  static var host: Self { Self("", read: { withoutBrackets($0) }, write: { $0 }) }
}

private func withoutBrackets(_ host: some StringProtocol) -> String {
  host.hasPrefix("[") && host.hasSuffix("]") ? String(host.dropFirst().dropLast()) : String(host)
}

extension SettingForm where Value == (host: String, port: Int)? {
  static var address: Self {
    Self(
      "write an address and a port like 127.0.0.1:9090",
      read: { text in
        guard !text.isEmpty else { return .some(nil) }
        guard let colon = text.lastIndex(of: ":"), let port = Int(text[text.index(after: colon)...]),
          (1...65535).contains(port)
        else { return nil }
        return (withoutBrackets(text[..<colon]), port)
      }, write: { $0.map { "\(urlHost($0.host)):\($0.port)" } ?? "" })
  }
}

extension SettingForm where Value == Int? {
  static var portOrNone: Self {
    Self(
      "write 0 to 65535",
      read: { text in
        guard !text.isEmpty else { return .some(nil) }
        return Int(text).flatMap { (0...65535).contains($0) ? $0 : nil }
      }, write: { $0.map(String.init) ?? "" })
  }
}

extension SettingForm where Value == Bool? {
  static var flagOrNone: Self {
    Self(
      "write true or false, or leave it out",
      read: { text in
        switch text {
        case "": .some(nil)
        case "true", "1": .some(true)
        case "false", "0": .some(false)
        default: nil
        }
      },
      write: { $0.map { String($0) } ?? "" })
  }
}

extension SettingForm where Value == URL {
  static var directory: Self {
    Self("", read: { URL(filePath: $0, directoryHint: .isDirectory) }, write: \.path)
  }
}

extension SettingForm where Value == [IPNetwork] {
  static var networks: Self {
    Self(
      "write addresses or networks like 10.0.0.1,172.20.0.0/16,fd00::/8",
      read: { all($0.split(separator: ",").map { IPNetwork($0) }) },
      write: { $0.map(\.text).joined(separator: ",") })
  }
}

extension SettingForm where Value == EditionName? {
  static var edition: Self {
    Self(
      "write 2024-10 or 2024-01",
      read: { text in
        guard !text.isEmpty else { return .some(nil) }
        return EditionName(rawValue: text)
      }, write: { $0?.rawValue ?? "" })
  }
}

extension SettingForm where Value == [String: EditionName] {
  static var keys: Self {
    Self(
      "write KEY=2024-10 or KEY=2024-01, more of them separated by commas",
      read: { pairs(in: $0) { key, edition in EditionName(rawValue: edition).map { (key, $0) } } },
      write: { $0.isEmpty ? "" : "\($0.count) keys" })
  }
}

extension SettingForm where Value == [EditionName: String] {
  static var timeZones: Self {
    Self(
      "write 2024-01=Asia/Seoul, more of them separated by commas",
      read: { pairs(in: $0) { edition, zone in EditionName(rawValue: edition).map { ($0, zone) } } },
      write: { zones in
        EditionName.allCases.map { "\($0.rawValue)=\(zones[$0] ?? $0.ownTimeZone)" }.joined(separator: ",")
      })
  }
}

extension EditionName {
  /// The default zone of its dates.
  var ownTimeZone: String {
    switch self {
    case .january2024: "Asia/Seoul"
    case .october2024: "UTC"
    }
  }
}

/// Nil if one of them is.
func all<Element>(_ elements: [Element?]) -> [Element]? {
  let found = elements.compactMap(\.self)
  return found.count == elements.count ? found : nil
}

/// Reads `A=B,C=D`; nil if a part is not a valid pair.
private func pairs<Key, Value>(in text: String, _ pair: (String, String) -> (Key, Value)?) -> [Key: Value]? {
  let found = all(
    text.split(separator: ",").map { part in
      let sides = part.split(separator: "=").map(String.init)
      return sides.count == 2 ? pair(sides[0], sides[1]) : nil
    })
  return found.map { Dictionary($0) { $1 } }
}
