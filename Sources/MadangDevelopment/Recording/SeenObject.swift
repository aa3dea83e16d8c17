import MadangAPI

/// An object that an answer or an event shows. Ids are texts in the form of their edition.
enum SeenObject {
  case person(id: String, JSONValue)
  case workspace(id: String, JSONValue)
  /// The workspace is nil if neither the channel nor the path names it.
  case channel(id: String, workspace: String?, name: String, JSONValue)
  /// A room of direct messages, with the person who is not the caller.
  case room(id: String, workspace: String?, other: JSONValue, createdAt: String?)
  case chat(SeenChat, workspace: String?)

  /// Calls `body` with all objects in JSON, outer ones first.
  /// - Parameter workspace: The workspace that the path names.
  static func each(in json: JSONValue, workspace: String?, _ body: (SeenObject) -> Void) {
    switch json {
    case .list(let list): for one in list { each(in: one, workspace: workspace, body) }
    case .object(let fields):
      let workspace = json.text("workspace_id") ?? workspace
      if let object = SeenObject(json, workspace) { body(object) }
      // In the order of names, so that every run sees the same.
      for (_, value) in fields.sorted(by: { $0.key < $1.key }) { each(in: value, workspace: workspace, body) }
    case .null, .flag, .number, .text: break
    }
  }

  private init?(_ json: JSONValue, _ workspace: String?) {
    if let chat = SeenChat(json) {
      self = .chat(chat, workspace: workspace)
    } else if let id = json.text("channel_id"), let name = json.text("name") {
      self = .channel(id: id, workspace: workspace, name: name, json)
    } else if let id = json.text("workspace_id"), json.text("name") != nil {
      self = .workspace(id: id, json)
    } else if let id = json.text("room_id"), let other = json["user"] {
      self = .room(id: id, workspace: workspace, other: other, createdAt: json.text("createdAt"))
    } else if let id = json.text("user_id") {
      self = .person(id: id, json)
    } else {
      return nil
    }
  }
}

/// A chat in an answer or an event.
struct SeenChat {
  let id: String
  let isDirect: Bool
  let room: String
  let channelName: String?
  let author: JSONValue
  let content: String
  /// As the edition writes it.
  let createdAt: String
  let files: Int

  /// Unique among channels and direct messages.
  var key: String { (isDirect ? "d" : "c") + id }
  var roomKey: String { (isDirect ? "d" : "c") + room }

  init?(_ json: JSONValue) {
    let direct = json.text("dm_id")
    guard let id = direct ?? json.text("chat_id"), let room = json.text(direct == nil ? "channel_id" : "room_id"),
      let author = json["user"], let createdAt = json.text("createdAt")
    else { return nil }
    (self.id, self.room, self.author, self.createdAt, isDirect) = (id, room, author, createdAt, direct != nil)
    (content, channelName) = (json.text("content") ?? "", json.text("channelName"))
    if case .list(let list)? = json["files"] { files = list.count } else { files = 0 }
  }
}
