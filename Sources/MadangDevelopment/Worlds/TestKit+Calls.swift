import Foundation
import HTTPTypes
import Hummingbird
import MadangCore
import MadangOperations
import MadangServer
import NIOCore
import OpenAPI
import Storage
import Synchronization

extension TestKit {
  /// The answer to a call about this server; nil if it has no such path. Throws `BadCall`.
  func answer(to call: DevelopmentCall) async throws -> Response? {
    do {
      switch call.path.first {
      case "faults", "restart":
        return try await FaultCalls(faults: faults, people: people).respond(to: call)
      case "clock" where call.path.count == 1: return try await ClockCalls(clock: clock).respond(to: call)
      case "journal" where call.method == .post && call.path.count == 3 && call.path[2] == "again":
        return try await call.answer {
          guard let number = Int(call.path[1]), number > 0 else {
            throw BadCall("journal/\(call.path[1]): the number of an entry")
          }
          return try await sendAgain(number, call)
        }
      case "journal": return try await JournalCalls(journal: journal, people: people, waits: waits).respond(to: call)
      case "expect":
        return try await ExpectationCalls(journal: journal, people: people, waits: waits).respond(to: call)
      case "openapi.json" where call.method == .get:
        try call.refuseQuery()
        return .document
      case "review": return try await ReviewCalls(journal: journal, people: people).respond(to: call)
      case "payments", "social-tokens", "pushes", "mails":
        return try await StandInCalls(standIns: try people.server().standIns, waits: waits).respond(to: call)
      case "sockets": return try await SocketCalls(sockets: sockets, waits: waits).respond(to: call)
      case "people": return try await PeopleCalls(people: people).respond(to: call)
      case "recording": return try await RecordingCalls(journal: journal, people: people).respond(to: call)
      case "seed": return try await SeedCalls(people: people).respond(to: call)
      case "scripts": return try await ScriptCalls(scripts: scripts, waits: waits).respond(to: call)
      default:
        if let answer = try await further.withLock(\.self)?(call) { return answer }
        return try await coverage.calls.respond(to: call)
      }
    } catch let error as SeedError {
      throw BadCall("seed: \(error)")
    } catch let error as PlantingProblem {
      throw BadCall("seed: \(error)")
    } catch let error as SetupError {
      throw BadCall("the world cannot start: \(error)")
    } catch let error as StorageError {
      throw BadCall("the database cannot be used now: \(error.message)")
    } catch let error as CocoaError {
      throw WorldError.ofFiles(error, in: FileManager.default.temporaryDirectory)
    }
  }

  /// Lets the present server answer a recorded request again, through all faults and limits. Throws ``BadCall``.
  private func sendAgain(_ number: Int, _ call: DevelopmentCall) async throws -> SentAgain {
    let request = try journal.request(numbered: number).again(authority: call.request.head.authority)
    let channel = call.channel
    let exchange = try exchange(of: request, over: channel)
    let response: Response
    do {
      response = try await respond(to: request, exchange) { try await $1.answer($0, over: channel) }
    } catch {
      return SentAgain(number: exchange.known.entry, status: nil)
    }
    _ = try await response.body.read(keeping: 0)
    return SentAgain(number: exchange.known.entry, status: response.status.code)
  }
}

/// A recorded request that was sent again.
private struct SentAgain: Encodable {
  /// Of its own entry in the journal; nil if the entry belongs to a former state of a world.
  let number: Int?
  /// Nil if a fault left it without an answer.
  let status: Int?
}

extension Response {
  /// The OpenAPI document of development calls.
  fileprivate static var document: Response {
    .json(ByteBuffer(bytes: OpenAPIDocuments.development))
  }
}
