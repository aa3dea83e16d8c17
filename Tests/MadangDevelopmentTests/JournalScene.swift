import Foundation
import MadangDevelopment
import NIOHTTP1
import Support
import Testing

extension FaultScene {
  /// What `GET /_dev/journal` answers.
  func journal(_ query: String = "") async throws -> Journal.Page {
    let answer = try await world.call(.GET, "/_dev/journal?\(query)", key: nil)
    try #require(answer.status == 200, "\(query): \(String(decoding: answer.body, as: UTF8.self))")
    return try JSONDecoder().decode(Journal.Page.self, from: Data(answer.body))
  }

  func entries(_ query: String = "") async throws -> [JournalEntry] { try await journal(query).entries }

  /// The only entry.
  func entry(_ query: String) async throws -> JournalEntry {
    let entries = try await entries(query)
    try #require(entries.count == 1, "\(query): \(entries)")
    return try #require(entries.first)
  }

  func expect(_ json: String) async throws -> (status: Int, outcome: ExpectationOutcome) {
    let answer = try await world.call(.POST, "/_dev/expect", key: nil, .raw(json, type: "application/json"))
    try #require([200, 409].contains(answer.status), "\(String(decoding: answer.body, as: UTF8.self))")
    return (answer.status, try JSONDecoder().decode(ExpectationOutcome.self, from: Data(answer.body)))
  }
}
