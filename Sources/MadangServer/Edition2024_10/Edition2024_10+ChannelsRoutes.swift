import Hummingbird
import MadangAPI
import MadangCore

extension Edition2024_10 {
  static func addChannels(to routes: inout EditionRoutes) {
    routes.respond(to: channels) { call in
      try await call.list(try await call.madang.channels(of: call.workspace, as: try call.principal), Channel.init)
    }
    routes.respond(to: myChannels) { call in
      try await call.list(
        try await call.madang.joinedChannels(of: call.workspace, as: try call.principal), Channel.init)
    }
    routes.on(createChannel) { call in
      let fields = try await call.body.fields()
      let channel = try await call.madang.createChannel(
        name: try fields.required(.name), description: try fields.text(.description), cover: fields.image,
        in: call.workspace, as: try call.principal)
      return Channel(channel, call.dates)
    }
    routes.on(editChannel) { call in
      let fields = try await call.body.fields()
      let channel = try await call.madang.editChannel(
        call.reference("channel"), in: call.workspace, name: try fields.text(.name),
        description: try fields.text(.description), cover: fields.image, as: try call.principal)
      return Channel(channel, call.dates)
    }
    routes.on(deleteChannel) { call in
      try await call.madang.deleteChannel(
        call.reference("channel"), in: call.workspace, as: try call.principal)
      return Empty()
    }
    routes.on(handOverChannel) { call in
      let owner = try await call.body.fields().required(.ownerID)
      let channel = try await call.madang.handOverChannel(
        call.reference("channel"), in: call.workspace, to: call.edition.reference(owner),
        as: try call.principal)
      return Channel(channel, call.dates)
    }
    routes.respond(to: leaveChannel) { call in
      try await call.list(
        try await call.madang.leaveChannel(call.reference("channel"), in: call.workspace, as: try call.principal),
        Channel.init)
    }
    routes.respond(to: channel) { try await $0.channelDetail() }
    routes.respond(to: channelMembers) { try await $0.channelMembers() }
  }
}

extension Call {
  private var detail: ChannelDetail {
    get async throws { try await madang.channelDetail(reference("channel"), in: workspace, as: try principal) }
  }

  fileprivate func channelDetail() async throws -> Response {
    let detail = try await detail
    return try await answer(
      try JSONEnvelope(Edition2024_10.ChannelDetail(withoutMembers: detail.channel, dates)),
      with: [pages(detail.members) { person, _ in Edition2024_10.Member(person) }])
  }

  fileprivate func channelMembers() async throws -> Response {
    try await list(try await detail.members) { person, _ in Edition2024_10.Member(person) }
  }
}

extension Edition2024_10.Channel {
  init(_ channel: MadangCore.Channel, _ dates: WireDates) {
    self.init(
      channelID: channel.id.uuid, name: channel.name, description: channel.description,
      coverImage: wirePath(channel.cover, default: .channelCoverImages), ownerID: channel.owner.uuid,
      createdAt: dates.label(channel.createdAt))
  }
}

extension Edition2024_10.ChannelDetail {
  /// Leaves members empty, because the answer writes them page by page.
  init(withoutMembers channel: MadangCore.Channel, _ dates: WireDates) {
    let channel = Edition2024_10.Channel(channel, dates)
    self.init(
      channelID: channel.channelID, name: channel.name, description: channel.description,
      coverImage: channel.coverImage, ownerID: channel.ownerID, createdAt: channel.createdAt,
      channelMembers: [])
  }
}
