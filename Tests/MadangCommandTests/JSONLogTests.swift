import Foundation
import Logging
import Synchronization
import Testing

@testable import madang

@Suite("The log as JSON")
struct JSONLogTests {
  private final class Lines: Sendable {
    let all = Mutex<[[UInt8]]>([])
  }

  @Test("each event is one line with one object, for any content")
  func lines() throws {
    let lines = Lines()
    var logger = Logger(label: "madang") { label in
      var handler = LineLog(label: label) { line in
        lines.all.withLock { $0.append(line.bytes(.json, isForJournal: false)) }
      }
      handler.metadata["node"] = "a"
      return handler
    }
    logger.logLevel = .info
    logger.debug("not told")
    logger.warning(
      "two\nlines \"quoted\" 각😀", metadata: ["list": ["1", ["deep": "\u{1B}[0m"]], "node": "b", "number": "\(7)"])
    logger.notice("plain")
    let told = lines.all.withLock(\.self)
    #expect(told.count == 2)
    for line in told {
      #expect(line.last == UInt8(ascii: "\n") && line.filter { $0 == UInt8(ascii: "\n") }.count == 1)
    }
    let first = try #require(try JSONSerialization.jsonObject(with: Data(told[0])) as? NSDictionary)
    #expect(first["level"] as? String == "warning" && first["label"] as? String == "madang")
    #expect(first["message"] as? String == "two\nlines \"quoted\" 각😀")
    #expect(
      first["metadata"] as? NSDictionary == [
        "list": ["1", ["deep": "\u{1B}[0m"]], "node": "b", "number": "7",
      ] as NSDictionary)
    let time = try #require(first["time"] as? String)
    #expect(time.wholeMatch(of: /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/) != nil, "\(time)")
  }

  @Test("log.format is text or json")
  func setting() async throws {
    #expect(try await LoadedSettings(flags: [:], file: nil).log.format == .text)
    #expect(try await LoadedSettings(flags: ["log.format": "json"], file: nil).log.format == .json)
    await #expect(throws: (any Error).self) { try await LoadedSettings(flags: ["log.format": "xml"], file: nil) }
  }
}
