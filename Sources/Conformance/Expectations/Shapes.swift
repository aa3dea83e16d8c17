import MadangAPI

/// The objects of an edition (wire contract, Objects).
struct Shapes: Sendable {
  private let edition: EditionName
  let id: Shape

  init(_ edition: EditionName) {
    self.edition = edition
    id = edition == .october2024 ? .uuid : .number
  }

  private func of(_ october: Shape, _ january: Shape) -> Shape { edition == .october2024 ? october : january }

  private var method: Shape { .nullable(.oneOf(["kakao", "apple"])) }
  private var methodKey: String { edition == .october2024 ? "provider" : "vendor" }
  private var tokens: Shape { .object(["accessToken": .token, "refreshToken": .token]) }

  /// `Member`, or `User` in 2024-01.
  var member: Shape {
    .object(["user_id": id, "email": .text, "nickname": .text, "profileImage": .nullable(.path(folder: "profiles"))])
  }
  var members: Shape { .list(member) }
  /// What `GET /users/{id}` answers.
  var memberDetail: Shape { of(member, member.with(["createdAt": .date])) }
  var login: Shape {
    member.with(["phone": .text, methodKey: method, "createdAt": .date, "token": tokens])
  }
  /// What `POST /v1/users/login` answers.
  var emailLogin: Shape {
    of(login, .object(["user_id": id, "nickname": .text, "accessToken": .token, "refreshToken": .token]))
  }
  var profile: Shape {
    member.with(["phone": .text, methodKey: method, "createdAt": .date, "sesacCoin": .integer])
  }
  var refresh: Shape { .object(["accessToken": .token]) }

  var workspace: Shape {
    .object([
      "workspace_id": id, "name": .text, "description": .text, "owner_id": id, "createdAt": .date,
      edition == .october2024 ? "coverImage" : "thumbnail": .path(folder: "workspaceCoverImages"),
    ])
  }
  var workspaces: Shape { .list(workspace) }
  var workspaceDetail: Shape { workspace.with(["channels": channels, "workspaceMembers": members]) }

  var channel: Shape {
    let shared: Shape = .object([
      "channel_id": id, "name": .text, "description": .text, "owner_id": id, "createdAt": .date,
    ])
    return of(
      shared.with(["coverImage": .path(folder: "channelCoverImages")]),
      shared.with(["workspace_id": id, "private": .exactly(0)]))
  }
  var channels: Shape { .list(channel) }
  var channelDetail: Shape { channel.with(["channelMembers": members]) }
  var channelChat: Shape {
    .object([
      "channel_id": id, "channelName": .text, "chat_id": id, "content": .text, "createdAt": .date,
      "files": .list(.path(folder: "channelChats")), "user": member,
    ])
  }
  var channelHistory: Shape { .list(channelChat) }
  var channelUnread: Shape { .object(["channel_id": id, "name": .text, "count": .integer, "room_id": id]) }

  var directMessageRoom: Shape {
    let shared: Shape = .object(["room_id": id, "createdAt": .date, "user": member])
    return of(shared, shared.with(["workspace_id": id]))
  }
  var directMessageRooms: Shape { .list(directMessageRoom) }
  var directMessage: Shape {
    .object([
      "dm_id": id, "room_id": id, "content": .text, "createdAt": .date, "files": .list(.path(folder: "dmChats")),
      "user": member,
    ])
  }
  var directMessageHistory: Shape {
    of(
      .list(directMessage), .object(["workspace_id": id, "room_id": id, "chats": .list(directMessage)]))
  }
  var directMessageUnread: Shape { .object(["room_id": id, "count": .integer]) }

  var storeItems: Shape { .list(.object(["item": .text, "amount": .text])) }
  var billing: Shape {
    of(
      .object([
        "billing_id": id, "merchant_uid": .text, "buyer_id": id, "productName": .text, "price": .integer,
        "sesacCoin": .integer, "paidAt": .date,
      ]),
      .object([
        "billing_id": id, "merchant_uid": .text, "amount": .integer, "sesacCoin": .integer, "success": .exactly(true),
        "createdAt": .date,
      ]))
  }
}
