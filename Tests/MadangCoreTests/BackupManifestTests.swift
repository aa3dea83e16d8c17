import Foundation
import Testing

@testable import MadangCore

@Suite("Manifests of backups") struct BackupManifestTests {
  private static func manifest(_ rest: String = "") -> [UInt8] {
    Array(
      #"{"format":1,"createdAt":1,"engine":"sqlite","migrations":[],"tables":[],"secrets":[]\#(rest)}"#.utf8)
  }

  @Test("a manifest that madang writes is read, and unknown fields in it are ignored")
  func reading() throws {
    #expect(try BackupManifest.decode(Self.manifest(), of: "m").createdAt == 1)
    #expect(try BackupManifest.decode(Self.manifest(#","note":"]]}}\"[{""#), of: "m").createdAt == 1)
  }

  /// Foundation's decoder crashes the process at 513 levels, and it reads UTF-16, in which nesting looks different.
  @Test("a manifest with deep nesting, endless keys or invalid UTF-8 is refused, and the program goes on")
  func hostile() {
    let nested = String(repeating: "[", count: 600) + String(repeating: "]", count: 600)
    let key = String(repeating: "\u{301}\u{323}", count: 2_000)
    let wide = Array(String(decoding: Self.manifest(#","a":\#(nested)"#), as: UTF8.self).utf16).flatMap {
      [UInt8(truncatingIfNeeded: $0), UInt8(truncatingIfNeeded: $0 >> 8)]
    }
    let manifests = [
      Self.manifest(#","a":\#(nested)"#), Self.manifest(#","a":{"\#(key)":1}"#), wide, [0xFF, 0xFE] + wide,
      Array(String(repeating: "[", count: 100_000).utf8), Array("\"".utf8), [],
    ]
    for manifest in manifests {
      #expect(throws: BackupProblem.self) { try BackupManifest.decode(manifest, of: "m") }
    }
  }
}
