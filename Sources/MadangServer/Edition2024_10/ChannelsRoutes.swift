import MadangAPI
import MadangCore

extension Edition2024_10 {
  static func addChannels(to routes: inout RouteTable) {
    routes.on(channels) { call in
      try await call.madang.channels(of: call.reference("workspace"), as: try call.caller).map(Channel.init)
    }
    routes.on(myChannels) { call in
      try await call.madang.joinedChannels(of: call.reference("workspace"), as: try call.caller)
        .map(Channel.init)
    }
    routes.on(createChannel) { call in
      let fields = try await call.fields()
      return .init(
        try await call.madang.createChannel(
          name: try fields.required(.name), description: try fields.text(.description), cover: fields.image,
          in: call.reference("workspace"), as: try call.caller))
    }
    routes.on(editChannel) { call in
      let fields = try await call.fields()
      return .init(
        try await call.madang.editChannel(
          call.reference("channel"), in: call.reference("workspace"), name: try fields.text(.name),
          description: try fields.text(.description), cover: fields.image, as: try call.caller))
    }
    routes.on(deleteChannel) { call in
      try await call.madang.deleteChannel(
        call.reference("channel"), in: call.reference("workspace"), as: try call.caller)
      return Empty()
    }
    routes.on(handOverChannel) { call in
      let owner = try await call.fields().required(.ownerID)
      return .init(
        try await call.madang.handOverChannel(
          call.reference("channel"), in: call.reference("workspace"), to: call.edition.reference(owner),
          as: try call.caller))
    }
    routes.on(leaveChannel) { call in
      try await call.madang.leaveChannel(
        call.reference("channel"), in: call.reference("workspace"), as: try call.caller
      ).map(Channel.init)
    }
    routes.on(channel) { call in .init(try await call.channelDetail()) }
    routes.on(channelMembers) { call in try await call.channelDetail().members.map(Member.init) }
  }
}

extension Call {
  fileprivate func channelDetail() async throws -> ChannelDetail {
    try await madang.channelDetail(reference("channel"), in: reference("workspace"), as: try caller)
  }
}
