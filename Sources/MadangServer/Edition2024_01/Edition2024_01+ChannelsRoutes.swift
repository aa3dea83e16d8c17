import MadangAPI
import MadangCore

extension Edition2024_01 {
  static func addChannels(to routes: inout RouteTable) {
    routes.on(channels) { call in
      try await call.madang.channels(of: call.workspace, as: try call.principal)
        .map { Channel($0, call.dates) }
    }
    routes.on(myChannels) { call in
      try await call.madang.joinedChannels(of: call.workspace, as: try call.principal)
        .map { Channel($0, call.dates) }
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
    routes.on(leaveChannel) { call in
      try await call.madang.leaveChannel(call.namedChannel, in: call.workspace, as: try call.principal)
        .map { Channel($0, call.dates) }
    }
    routes.on(handOverChannel) { call in
      let channel = try await call.madang.handOverChannel(
        call.namedChannel, in: call.workspace, to: call.reference("user"), as: try call.principal)
      return Channel(channel, call.dates)
    }
    for endpoint in [channel, myChannel] {
      routes.on(endpoint) { call in ChannelDetail(try await call.channelDetail(), call.dates) }
    }
    routes.on(channelMembers) { call in try await call.channelDetail().members.map { User($0) } }
  }

  /// A name that this edition's clients can write in a path. Throws `.invalid`.
  private static func addressable(_ name: String) throws -> String {
    guard !name.contains("/") else { throw Failure(.invalid, "name: may not contain '/'") }
    return name
  }
}

extension Call {
  fileprivate func channelDetail() async throws -> ChannelDetail {
    try await madang.channelDetail(namedChannel, in: workspace, as: try principal)
  }
}
