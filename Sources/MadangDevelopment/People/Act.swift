import MadangAPI
import MadangCore

/// What people can do in tests of clients, besides the operations of an edition.
package enum Act: Sendable {
  package enum Target: Sendable {
    case channel(Place)
    /// Direct messages with a person, in a workspace or in the oldest one that both belong to.
    case person(String, in: Place?)
    case room(RoomAddress)
  }

  /// Posts a chat with a number of generated pictures.
  case post(String, to: Target, files: Int)
  /// A workspace (by its owner's invitation) or a channel.
  case join(Place)
  case leave(Place)

  /// For people: `post in Weekend/ios`.
  var words: String {
    switch self {
    case .post(_, to: .channel(let place), files: _): "post in \(place)"
    case .post(_, to: .person(let name, in: _), files: _): "post to \(name)"
    case .post(_, to: .room, files: _): "post"
    case .join(let place): "join \(place)"
    case .leave(let place): "leave \(place)"
    }
  }

  /// The largest number of files in a chat; the server's own limit is lower.
  package static let maxFiles = 100
}

/// A workspace, or a channel of it, by name: `Weekend`, `Weekend/ios`. The channel's name is the text after the first `/`.
/// A workspace may also be given by its id.
package struct Place: Sendable, Equatable, CustomStringConvertible {
  package let workspace: String
  package let channel: String?

  /// Nil for a text without a name.
  package init?(_ text: String) {
    let parts = text.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
    guard !parts[0].isEmpty, parts.last?.isEmpty == false else { return nil }
    workspace = parts[0]
    channel = parts.count == 2 ? parts[1] : nil
  }

  /// Why a chat to a person cannot name it; nil for a workspace.
  var problemBesidePerson: String? {
    guard channel != nil else { return nil }
    let (place, workspace) = (BadCall.shortened(description), BadCall.shortened(workspace))
    return "in: '\(place)' is a channel; beside a person write its workspace, '\(workspace)'"
  }

  package var description: String { channel.map { "\(workspace)/\($0)" } ?? workspace }
}

/// A refusal by the server's rules, with the code of the newest edition.
package struct Refused: Error {
  package let code: ErrorCode
  package let message: String
}
