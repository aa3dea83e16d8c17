import Hummingbird
import MadangAPI
import MadangCore

extension Edition2024_01 {
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
        name: try addressable(try fields.required(.name)), description: try fields.text(.description), cover: nil,
        in: call.workspace, as: try call.principal)
      return Channel(channel, call.dates)
    }
    routes.on(editChannel) { call in
      let fields = try await call.body.fields()
      let channel = try await call.madang.editChannel(
        call.namedChannel, in: call.workspace, name: try fields.text(.name).map(addressable),
        description: try fields.text(.description), cover: nil, as: try call.principal)
      return Channel(channel, call.dates)
    }
    routes.on(deleteChannel) { call in
      try await call.madang.deleteChannel(call.namedChannel, in: call.workspace, as: try call.principal)
    }
    routes.respond(to: leaveChannel) { call in
      try await call.list(
        try await call.madang.leaveChannel(call.namedChannel, in: call.workspace, as: try call.principal),
        Channel.init)
    }
    routes.on(handOverChannel) { call in
      let channel = try await call.madang.handOverChannel(
        call.namedChannel, in: call.workspace, to: call.reference("user"), as: try call.principal)
      return Channel(channel, call.dates)
    }
    for endpoint in [channel, myChannel] {
      routes.respond(to: endpoint) { try await $0.channelDetail() }
    }
    routes.respond(to: channelMembers) { try await $0.channelMembers() }
  }

  /// A name that this edition's clients can write in a path. Throws `.invalid`.
  private static func addressable(_ name: String) throws -> String {
    guard !name.contains("/") else { throw Failure(.invalid, "name: may not contain '/'") }
    return name
  }
}

extension Call {
  private var detail: ChannelDetail {
    get async throws { try await madang.channelDetail(namedChannel, in: workspace, as: try principal) }
  }

  fileprivate func channelDetail() async throws -> Response {
    let detail = try await detail
    return try await answer(
      try JSONEnvelope(Edition2024_01.ChannelDetail(withoutMembers: detail.channel, dates)),
      with: [pages(detail.members) { person, _ in Edition2024_01.User(person) }])
  }

  fileprivate func channelMembers() async throws -> Response {
    try await list(try await detail.members) { person, _ in Edition2024_01.User(person) }
  }
}

extension Edition2024_01.Channel {
  init(_ channel: MadangCore.Channel, _ dates: WireDates) {
    self.init(
      workspaceID: channel.workspace, channelID: channel.id.number, name: channel.name,
      description: channel.description, ownerID: channel.owner.number, createdAt: dates.label(channel.createdAt))
  }
}

extension Edition2024_01.ChannelDetail {
  /// Leaves members empty, because the answer writes them page by page.
  init(withoutMembers channel: MadangCore.Channel, _ dates: WireDates) {
    let channel = Edition2024_01.Channel(channel, dates)
    self.init(
      workspaceID: channel.workspaceID, channelID: channel.channelID, name: channel.name,
      description: channel.description, ownerID: channel.ownerID, createdAt: channel.createdAt,
      channelMembers: [])
  }
}
