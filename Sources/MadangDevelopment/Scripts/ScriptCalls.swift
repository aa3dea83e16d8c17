import HTTPTypes
import Hummingbird
import MadangCore

/// Calls about scripts, under `/_dev/scripts`.
struct ScriptCalls: Sendable {
  let scripts: Scripts
  let waits: Waits

  func respond(to call: DevelopmentCall) async throws -> Response? {
    let name = call.path.dropFirst().first
    switch (call.method, name, call.path.dropFirst(2).first, call.path.count) {
    case (.get, nil, _, _): return try await call.answer { scripts.reports }
    case (.post, nil, _, _):
      return try await call.answer {
        let text = try await call.text(atMost: DevelopmentCall.maxLongBody)
        guard text.contains(where: { !$0.isWhitespace }) else {
          throw WorldError("scripts: the body is empty; write a script, or a list of them, in YAML or JSON")
        }
        do {
          return try await Documents.shared.holding(text.utf8.count) {
            let read = try await call.whileClientWaits {
              try await Documents.shared.read { try Script.read(text, isCancelled: $0) }
            }
            return try await scripts.add(read)
          }
        } catch let error as SeedError {
          throw WorldError("scripts: \(error)")
        }
      }
    case (.delete, nil, _, _): return try await call.done { await scripts.removeAll() }
    case (.get, let name?, _, 2):
      return try await call.answer("wait", "runs") {
        let runs = try call.query("runs").map { text in
          guard let runs = Int(text), runs > 0 else { throw WorldError("runs: the number of runs to wait for, from 1") }
          guard call.query("wait") != nil else {
            throw WorldError("runs: needs 'wait', such as wait=5s")
          }
          return runs
        }
        let time = try Wait.time(call)
        guard time > .zero else { return try await scripts.report(of: name) }
        return try await waits.wait(call) { try await scripts.report(of: name, after: runs, within: time) }
      }
    case (.delete, let name?, _, 2): return try await call.done { try await scripts.remove(name) }
    case (.post, let name?, "start", 3): return try await call.answer { try scripts.start(name) }
    case (.post, let name?, "stop", 3):
      return try await call.answer {
        try await scripts.stop(name)
        return try await scripts.report(of: name)
      }
    default: return nil
    }
  }
}
