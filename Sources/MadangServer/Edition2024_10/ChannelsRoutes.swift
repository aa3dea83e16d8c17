import MadangAPI
import MadangCore

extension RouteTable {
  mutating func addChannels() {
    on(Wire.channels) { call in
      try await call.madang.channels(of: call.reference("workspace"), as: try call.caller).map(Wire.Channel.init)
    }
    on(Wire.myChannels) { call in
      try await call.madang.joinedChannels(of: call.reference("workspace"), as: try call.caller)
        .map(Wire.Channel.init)
    }
    on(Wire.createChannel) { call in
      let fields = try await call.fields()
      return .init(
        try await call.madang.createChannel(
          name: try fields.required(.name), description: try fields.text(.description), cover: fields.image,
          in: call.reference("workspace"), as: try call.caller))
    }
    on(Wire.channel) { call in .init(try await call.channelDetail()) }
    on(Wire.channelMembers) { call in try await call.channelDetail().members.map(Wire.Member.init) }
  }
}

extension Call {
  fileprivate func channelDetail() async throws -> ChannelDetail {
    try await madang.channelDetail(reference("channel"), in: reference("workspace"), as: try caller)
  }
}
