import Foundation
import MadangAPI
import MadangClient
import MadangDevelopment
import MadangServer

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// A person of a world, who acts without signing in, like one more client of the account. All calls throw ``MadangTestingError``, with the
/// code of the contract if the server's rules forbid the call.
///
/// A place is a workspace, such as `Weekend`, or a channel, such as `Weekend/ios`.
public struct MadangPerson: Sendable {
  /// An e-mail, or the part before its `@`.
  public let name: String
  let people: People
  /// The origin of the world's server.
  let origin: String

  /// Posts to a channel; to the default channel if only a workspace is named.
  /// - Parameter files: The number of pictures to attach; they are generated.
  /// - Returns: The chat in the form of edition 2024-10.
  @discardableResult
  public func post(_ text: String, in place: String, files: Int = 0) async throws -> Chat {
    let act = Act.post(text, to: .channel(try Self.place(place)), files: try Self.checked(files))
    return .channel(try JSONDecoder().decode(Edition2024_10.ChannelChat.self, from: Data(try await perform(act))))
  }

  /// Sends a direct message.
  /// - Parameter workspace: Nil for the oldest workspace that both belong to.
  /// - Returns: The chat in the form of edition 2024-10.
  @discardableResult
  public func write(
    _ text: String, to person: String, in workspace: String? = nil, files: Int = 0
  ) async throws -> Chat {
    let place = try workspace.map(Self.place)
    let act = Act.post(text, to: .person(person, in: place), files: try Self.checked(files))
    return .directMessage(try JSONDecoder().decode(Edition2024_10.DMChat.self, from: Data(try await perform(act))))
  }

  /// Joins a channel, or joins a workspace by an invitation of its owner.
  public func join(_ place: String) async throws { try await perform(.join(try Self.place(place))) }

  /// Leaves a channel or a workspace.
  public func leave(_ place: String) async throws { try await perform(.leave(try Self.place(place))) }

  /// Calls any operation of edition 2024-10.
  ///
  /// - Parameters:
  ///   - path: Below `/v1`, with its query: `workspaces`.
  ///   - body: JSON.
  /// - Returns: The body of the answer.
  @discardableResult
  public func call(_ method: String, _ path: String, body: String? = nil) async throws -> Data {
    let part = name.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? name
    guard let url = URL(string: "\(origin)/_dev/people/\(part)/v1/\(path)") else {
      throw MadangTestingError(description: "'\(path)' is not a path; write one below /v1, such as workspaces")
    }
    var request = URLRequest(url: url)
    request.httpMethod = method
    if let body {
      request.httpBody = Data(body.utf8)
      request.setValue("application/json", forHTTPHeaderField: "Content-Type")
    }
    return try await MadangTestingError.wording {
      let (data, response) = try await URLSession.shared.data(for: request)
      let status = (response as? HTTPURLResponse)?.statusCode ?? 0
      guard status == 200 else {
        let code = try? JSONDecoder().decode(Refusal.self, from: data).errorCode
        let text = String(decoding: data, as: UTF8.self)
        throw MadangTestingError(description: "\(name), \(method) /v1/\(path): \(status) \(text)", code: code)
      }
      return data
    }
  }

  private struct Refusal: Decodable {
    let errorCode: String
  }

  /// The posted chat in its wire form.
  @discardableResult
  private func perform(_ act: Act) async throws -> [UInt8] {
    try await MadangTestingError.wording {
      do {
        guard let chat = try await people.perform(act, as: name) else { return [] }
        return try people.server().server.json(chat, .october2024)
      } catch let refused as Refused {
        throw MadangTestingError(description: "\(name), \(refused.message)", code: refused.code.rawValue)
      }
    }
  }

  private static func place(_ text: String) throws -> Place {
    guard let place = Place(text) else {
      throw MadangTestingError(
        description: "'\(text)' is not a place; write a workspace, or a channel as in Weekend/ios")
    }
    return place
  }

  private static func checked(_ files: Int) throws -> Int {
    guard (0...Act.maxFiles).contains(files) else {
      throw MadangTestingError(description: "files: 0 to \(Act.maxFiles)")
    }
    return files
  }
}

/// An account of a world.
public struct MadangAccount: Equatable, Sendable {
  public let email: String
  /// The id in edition 2024-01.
  public let number: Int64
  /// The id in edition 2024-10.
  public let id: String
  public let nickname: String
  /// The names of the workspaces that the account belongs to.
  public let workspaces: [String]
}
