import HTTPTypes
import Hummingbird
import MadangAPI
import MadangCore
import MadangServer
import NIOCore

/// Calls about people: `GET /_dev/people`; `/_dev/people/WHO/v1/...` answers like the server does to this person; `POST` to
/// `.../post`, `.../join` and `.../leave` accepts names instead of ids; `POST .../browser` signs the browser in.
struct PeopleCalls: Sendable {
  let people: People

  /// The number of people on one page.
  static let page = 1000

  func respond(to call: DevelopmentCall) async throws -> Response? {
    guard call.path.first == "people" else { return nil }
    guard call.path.count > 1 else { return call.method == .get ? try await list(call) : nil }
    guard call.path.count > 2 else { return nil }
    let person = try await people.person(call.path[1])
    if call.path[2].first == "v", call.path[2].dropFirst().allSatisfy(\.isNumber) {
      return try await forward(call, as: person)
    }
    guard call.method == .post, call.path.count == 3 else { return nil }
    do {
      switch call.path[2] {
      case "post":
        try call.refuseQuery(besides: ["edition"])
        let edition = try await edition(call)
        let chat = try await people.perform(try await call.body(NewPost.self).act(), as: person.email)
        guard let chat else { return nil }
        return .json(try people.server().server.json(chat, edition))
      case "join":
        return try await call.done {
          try await people.perform(.join(try await call.body(Where.self).place()), as: person.email)
        }
      case "leave":
        return try await call.done {
          try await people.perform(.leave(try await call.body(Where.self).place()), as: person.email)
        }
      case "browser": return try await signIn(call, as: person)
      default: return nil
      }
    } catch let refused as Refused {
      throw BadCall("\(person.email), \(refused.message) (\(refused.code.rawValue))")
    }
  }

  private func list(_ call: DevelopmentCall) async throws -> Response {
    try await call.answer("after") {
      guard let after = Int64(call.query("after") ?? "0"), after >= 0 else {
        throw BadCall("after: the number of a person, from 0")
      }
      return try await people.list(after: after, limit: Self.page)
    }
  }

  private func forward(_ call: DevelopmentCall, as person: Person) async throws -> Response {
    let edition = try await edition(call)
    var head = call.request.head
    let query = (head.path ?? "").drop { $0 != "?" }
    head.path = call.path.dropFirst(2).map { "/" + percentEncoded($0) }.joined() + query
    return try await people.answer(
      Request(head: head, body: call.request.body), as: person.email, edition, over: call.channel)
  }

  /// The answer has the cookie that signs a browser in to the chat. It belongs to a host with all its ports.
  private func signIn(_ call: DevelopmentCall, as person: Person) async throws -> Response {
    _ = try await call.body(NoFields.self)
    let server = try people.server().server
    let isSecure = call.worldPort == nil && server.isSecure(call.request, over: call.channel)
    var response = try await call.answer { ChatAddress(url: "\(isSecure ? "https" : "http")://\(call.authority)/") }
    try await people.signIn(person, in: &response, isSecure: isSecure)
    return response
  }

  /// The edition in the query, of the request's key, or the newest.
  private func edition(_ call: DevelopmentCall) async throws -> EditionName {
    if let name = call.query("edition") {
      guard let edition = EditionName(rawValue: name) else {
        throw WorldError("edition: \(EditionName.allCases.map(\.rawValue).joined(separator: " or "))")
      }
      return edition
    }
    return try await people.server().server.edition(ofKey: call.request.headers[.apiKey]) ?? .october2024
  }
}

/// A person in answers.
package struct PersonSummary: Codable, Sendable {
  package let email: String
  /// The id of edition 2024-01.
  package let number: Int64
  package let id: String
  package let nickname: String
  package let workspaces: [String]
}

private struct NewPost: CallFields {
  static let names = ["in", "to", "text", "files"]

  let text: String?
  let place: String?
  let to: String?
  let files: Int?

  enum CodingKeys: String, CodingKey {
    case text, to, files
    case place = "in"
  }

  func act() throws -> Act {
    guard (0...Act.maxFiles).contains(files ?? 0) else { throw WorldError("files: 0 to \(Act.maxFiles)") }
    guard text != nil || files ?? 0 > 0 else {
      throw BadCall("text: is missing; write it, or 'files' with a number of pictures")
    }
    let place = try place.map { try Place(in: $0) }
    guard let target = to.map({ Act.Target.person($0, in: place) }) ?? place.map(Act.Target.channel) else {
      throw WorldError("in: is missing; write a place such as Weekend/ios, or 'to' with a person for a direct message")
    }
    return .post(text ?? "", to: target, files: files ?? 0)
  }
}

private struct NoFields: CallFields {
  static let names: [String] = []
}

private struct ChatAddress: Encodable {
  let url: String
}

private struct Where: CallFields {
  static let names = ["in"]

  let name: String

  enum CodingKeys: String, CodingKey {
    case name = "in"
  }

  func place() throws -> Place { try Place(in: name) }
}

extension Place {
  fileprivate init(in text: String) throws(WorldError) {
    guard let place = Place(text) else {
      throw WorldError("in: a workspace such as Weekend, or a channel such as Weekend/ios")
    }
    self = place
  }
}
