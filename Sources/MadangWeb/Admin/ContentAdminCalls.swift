import HTTPTypes
import MadangAPI
import MadangOperations

/// Calls of the administrator's console about announcements and chats.
enum ContentAdminCalls {
  static func add(to routes: inout AdminRoutes) {
    addAnnouncements(to: &routes)
    addChats(to: &routes)
  }

  private static func addAnnouncements(to routes: inout AdminRoutes) {
    struct List: Encodable {
      let announcements: [AnnouncementSummary]
      let next: Int64?
      let total: Int?
    }
    // The newest is first, so the next page has lower numbers.
    routes.on(.get, "announcements") { call in
      let page = try await call.administration.announcements(
        before: try call.integer("after"), limit: try call.limit())
      return List(announcements: page.elements, next: page.next, total: page.total)
    }

    struct Changed: Encodable {
      let announcement: AnnouncementSummary
    }
    struct New: Decodable {
      let content: String
      let title: String
      let from: String
      let workspace: String
    }
    routes.on(.post, "announcements") { call in
      let new = try call.body(New.self)
      return try await AdminRefusal.naming {
        Changed(
          announcement: try await call.administration.announce(
            new.content, title: new.title, from: new.from, workspace: new.workspace.isEmpty ? nil : new.workspace))
      }
    }
    routes.on(.post, "announcements/check") { call in
      let new = try call.body(New.self)
      return try await AdminRefusal.naming {
        try await call.administration.planAnnouncement(
          new.content, title: new.title, from: new.from, workspace: new.workspace.isEmpty ? nil : new.workspace)
      }
    }
    routes.on(.delete, "announcements/{number}") { call in
      Changed(announcement: try await call.administration.cancelAnnouncement(try call.number()))
    }
  }

  private static func addChats(to routes: inout AdminRoutes) {
    struct Search: Decodable {
      let text: String
      let author: String?
      let workspace: String?
      let since: String?
      let limit: Int
    }
    struct Found: Encodable {
      let chats: [FoundChat]
    }
    routes.on(.post, "chats/search") { call in
      let search = try call.body(Search.self)
      let showsContent = call.settings.web.admin.showsContent
      guard showsContent || search.text.isEmpty else {
        throw AdminRefusal(.forbidden, "refused", "web.admin.content is off, so texts cannot be searched")
      }
      guard (1...200).contains(search.limit) else { throw AdminRefusal.refused("limit: write a number from 1 to 200") }
      var question = ChatQuestion()
      (question.text, question.author, question.workspace) = (search.text, search.author, search.workspace)
      (question.since, question.limit) = (try search.since.map { try AdminCall.moment($0, "since") }, search.limit)
      let administration = try call.administration
      return try await AdminRefusal.naming { [question] in
        let found = try await call.inTurn { try await administration.findChats(question) }
        return Found(chats: found.reversed().map { FoundChat($0, showsContent: showsContent) })
      }
    }
    routes.on(.delete, "chats/{number}") { call in
      try await call.administration.removeChat("\(try call.number())")
      return Done()
    }
  }
}

/// A chat as the console shows it: without its text if administrators may not read it.
private struct FoundChat: Encodable {
  let number: Int64
  let chatID: String
  let workspace: String
  let channel: String?
  let author: String
  let content: String?
  let files: Int
  let createdAt: String

  enum CodingKeys: String, CodingKey {
    case number
    case chatID = "chat_id"
    case workspace, channel, author, content, files, createdAt
  }

  init(_ chat: FoundChatSummary, showsContent: Bool) {
    (number, chatID, workspace, channel) = (chat.number, chat.chatID, chat.workspace, chat.channel)
    (author, content) = (chat.author, showsContent ? chat.content : nil)
    (files, createdAt) = (chat.files, chat.createdAt)
  }
}
