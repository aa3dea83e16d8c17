import MadangAPI

/// The names of ids: as answers show them, or as a server has them.
struct RecordedNames: Sendable {
  struct Channel: Sendable {
    var workspace: String
    var name: String
    var isDefault = false
  }

  struct Room: Sendable {
    var workspace: String?
    /// E-mails.
    var people: Set<String>
  }

  var workspaces: [String: String] = [:]
  var channels: [String: Channel] = [:]
  /// E-mails.
  var people: [String: String] = [:]
  var rooms: [String: Room] = [:]

  /// Learns from an answer or an event.
  /// - Parameters:
  ///   - caller: The e-mail of the client's account.
  ///   - workspace: The workspace that the path names.
  ///   - keepsFirst: Whether a name that is known stays.
  mutating func learn(_ json: JSONValue, workspace: String?, caller: String?, keepsFirst: Bool = false) {
    SeenObject.each(in: json, workspace: workspace) { object in
      switch object {
      case .person(let id, let json):
        if let email = json.text("email") { people[id] = email }
      case .workspace(let id, let json):
        guard let name = json.text("name"), !keepsFirst || workspaces[id] == nil else { return }
        workspaces[id] = name
      case .channel(let id, let workspace, let name, _): learn(channel: id, workspace, name, keepsFirst)
      case .room(let id, let workspace, let other, _):
        let people = [caller, other.text("email")].compactMap(\.self)
        learn(room: id, workspace, people)
      case .chat(let chat, let workspace):
        let author = chat.author.text("email")
        if chat.isDirect {
          learn(room: chat.room, workspace, [caller, author].compactMap(\.self))
        } else if let name = chat.channelName {
          learn(channel: chat.room, workspace, name, keepsFirst)
        }
      }
    }
  }

  private mutating func learn(channel id: String, _ workspace: String?, _ name: String, _ keepsFirst: Bool) {
    guard let workspace = workspace ?? channels[id]?.workspace else { return }
    guard !keepsFirst || channels[id] == nil else { return }
    channels[id] = Channel(workspace: workspace, name: name)
  }

  mutating func learn(room id: String, _ workspace: String?, _ people: [String]) {
    var room = rooms[id] ?? Room(people: [])
    room.workspace = workspace ?? room.workspace
    room.people.formUnion(people)
    rooms[id] = room
  }

  /// The id of a channel of a workspace by its name; paths of edition 2024-01 have names.
  func channel(named name: String, in workspace: String) -> String? {
    channels.first { $0.value.workspace == workspace && $0.value.name == name }?.key
  }
}
