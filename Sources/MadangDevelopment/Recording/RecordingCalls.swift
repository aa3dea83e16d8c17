import HTTPTypes
import Hummingbird
import MadangAPI
import MadangCore
import MadangOperations
import MadangServer
import NIOCore

/// `GET /_dev/recording`: what clients did after an entry of the journal, as a script.
struct RecordingCalls: Sendable {
  let journal: Journal
  let people: People

  func respond(to call: DevelopmentCall) async throws -> Response? {
    guard call.method == .get, call.path == ["recording"] else { return nil }
    try call.refuseQuery(besides: ["after", "since", "account", "name", "pauses", "format"])
    guard let after = Int(call.query("after") ?? "0"), after >= 0 else {
      throw BadCall("after: the number of an entry of the journal, from 0")
    }
    let format = call.query("format") ?? "yaml"
    guard ["yaml", "json"].contains(format) else {
      throw BadCall("format: yaml, or json for the script with a summary")
    }
    var options = Recorder.Options()
    if let name = call.query("name") {
      guard Script.isName(name) else { throw BadCall("name: \(Script.nameRule)") }
      options.name = name
    }
    switch call.query("pauses") {
    case nil, "true": break
    case "false": options.pauses = false
    default: throw BadCall("pauses: true or false")
    }
    if let account = call.query("account") { options.account = try await people.person(account).email }
    let lease = try people.server(over: call.channel)
    let settings = lease.server.settings
    options.defaultChannel = settings.workspaces.channelName
    options.offset = { settings.offset(of: $0) ?? 0 }
    let (exchanges, sightings, unknown, start) = try await journal.recordable(after: after)
    options.since = try since(call.query("since")) ?? start
    let knowledge = Recorder.Knowledge(try await lease.answering { try await $0.inventory() })
    var recorder = Recorder(options, knowledge)
    let recording = try recorder.record(exchanges, sightings, unknown: unknown)
    guard format == "yaml" else {
      return try .development(RecordingAnswer(script: recording.text, summary: recording.summary))
    }
    return Response(
      status: .ok, headers: [.contentType: "application/yaml; charset=utf-8", .cacheControl: "no-store"],
      body: .init(byteBuffer: ByteBuffer(string: recording.text)))
  }

  private func since(_ text: String?) throws(BadCall) -> Int64? {
    guard let text else { return nil }
    guard let moment = TimeText.date(text) else { throw BadCall("since: a date like 2026-01-05T09:00:00Z") }
    return moment
  }
}

/// A recorded script.
package struct RecordingAnswer: Codable, Sendable {
  /// A part of a seed in YAML.
  package let script: String
  package let summary: Recording.Summary
}
