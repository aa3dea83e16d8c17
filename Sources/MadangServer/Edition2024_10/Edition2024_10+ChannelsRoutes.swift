import MadangAPI
import MadangCore

extension Edition2024_10 {
  static func addChannels(to routes: inout RouteTable) {
    routes.on(channels) { call in
      try await call.madang.channels(of: call.workspace, as: try call.principal).map { Channel($0, call.dates) }
    }
    routes.on(myChannels) { call in
      try await call.madang.joinedChannels(of: call.workspace, as: try call.principal)
        .map { Channel($0, call.dates) }
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
    routes.on(leaveChannel) { call in
      try await call.madang.leaveChannel(
        call.reference("channel"), in: call.workspace, as: try call.principal
      ).map { Channel($0, call.dates) }
    }
    routes.on(channel) { call in ChannelDetail(try await call.channelDetail(), call.dates) }
    routes.on(channelMembers) { call in try await call.channelDetail().members.map(Member.init) }
  }
}

extension Call {
  fileprivate func channelDetail() async throws -> ChannelDetail {
    try await madang.channelDetail(reference("channel"), in: workspace, as: try principal)
  }
}
