import MadangAPI
import NIOHTTP1
import SocketIOProtocol

/// Who may join a room's namespace (wire contract, Socket access).
enum AdmissionRules {
  private static let refusal = #"{"message":"not allowed"}"#

  /// What a connect is answered.
  private static func answer(
    _ trial: Trial, _ namespace: String, _ payload: JSON?, _ handshake: EngineSocket.Handshake = .init()
  ) async throws -> SocketPacket {
    try await trial.withSocket(.webSocket, handshake) { try await $0.connect(namespace, payload: payload) }
  }

  private static func isAccepted(_ packet: SocketPacket) throws {
    try expect(packet.kind == .connect, "40", seen: packet.wireText, cause: packet.causeOfRefusal)
  }

  private static func isRefused(_ packet: SocketPacket, _ message: String) throws {
    guard packet.kind == .connectError, let payload = try? JSON(packet.payload), payload == ["message": .text(message)]
    else {
      throw Violation(
        expected: #"44 and {"message":"\#(message)"}"#, seen: packet.wireText, cause: packet.causeOfRefusal)
    }
  }

  /// A rule that bad credentials are refused at once, with a code.
  private static func bad(
    _ id: String, _ code: String, _ sentence: String, needs: Set<Rule.Need> = [],
    _ credentials: @escaping @Sendable (Trial, Person) async throws -> JSON
  ) -> Rule {
    Rule(id, .socketAccess, sentence, needs: needs) { trial in
      let yard = try await trial.courtyard()
      let name = try await yard.sharedChannel().namespace
      let payload = try await credentials(trial, yard.b)
      try await expectInTime {
        let start = ContinuousClock.now
        try isRefused(try await answer(trial, name, payload), code)
        let time = ContinuousClock.now - start
        return time < .milliseconds(2500) ? nil : Violation(expected: "a refusal at once", seen: "one after \(time)")
      }
    }
  }

  static let all: [Rule] = [
    Rule(
      "sockets.admission.payload", .socketAccess,
      "Key and token in the payload admit to a room, as token or Authorization."
    ) { trial in
      let yard = try await trial.courtyard()
      for room in try await yard.rooms() {
        try isAccepted(try await answer(trial, try room.namespace, yard.b.credentials))
        let payload: JSON = [HeaderName.apiKey: .text(trial.key), HeaderName.authorization: .text(yard.b.token)]
        try isAccepted(try await answer(trial, try room.namespace, payload))
      }
    },
    Rule(
      "sockets.admission.headers", .socketAccess,
      "Key and token in the headers of the handshake admit to a room, over each transport."
    ) { trial in
      let yard = try await trial.courtyard()
      let name = try await yard.sharedChannel().namespace
      for carrier in EngineSocket.Carrier.allCases {
        try await trial.withSocket(carrier, .init(headers: yard.b.credentialHeaders)) { try await $0.join(name) }
      }
    },
    Rule("sockets.admission.query", .socketAccess, "Key and token in the query of the handshake admit to a room.") {
      trial in
      let yard = try await trial.courtyard()
      let name = try await yard.sharedChannel().namespace
      try isAccepted(try await answer(trial, name, nil, .init(query: yard.b.credentialQuery)))
    },
    Rule(
      "sockets.admission.refresh-token", .sessionsAndTokens, "A refresh token admits to a room like an access token."
    ) {
      trial in
      let yard = try await trial.courtyard()
      let payload: JSON = [HeaderName.apiKey: .text(trial.key), "token": .text(yard.b.refreshToken)]
      try isAccepted(try await answer(trial, try await yard.sharedChannel().namespace, payload))
    },
    Rule("sockets.admission.cookie", .socketAccess, "The cookie that REST answers set admits to a room.") { trial in
      let yard = try await trial.courtyard()
      guard let cookie = yard.b.cookie else { throw Skip(reason: "the server sets no cookie") }
      let name = try await yard.sharedChannel().namespace
      try isAccepted(try await answer(trial, name, nil, .init(headers: [("Cookie", cookie)])))
    },
    Rule("sockets.admission.before-joining", .socketAccess, "Membership of the workspace is enough for a channel.") {
      trial in
      let yard = try await trial.courtyard()
      let room = try await yard.a.channel(in: yard.workspace)
      try isAccepted(try await answer(trial, try room.namespace, yard.b.credentials))
    },
    Rule(
      "sockets.admission.held", .socketAccess,
      "A connect before the call that makes its client a member is held, then accepted."
    ) { trial in
      // On a busy machine the invitation may come after the hold. Each attempt needs people who are no members yet.
      try await expectInTime {
        let yard = try await trial.courtyard()
        let name = try await yard.sharedChannel().namespace
        return try await trial.withSocket { socket in
          async let refusal = socket.refusal(of: name, payload: yard.c.credentials)
          try await Task.sleep(for: .milliseconds(150))
          try await yard.a.invite(yard.c, to: yard.workspace)
          return try await refusal
        }
      }
    },
    Rule(
      "sockets.admission.strangers", .socketAccess,
      "An account that may not read a room is refused with 44 and 'not allowed'."
    ) {
      trial in
      let yard = try await trial.courtyard()
      try isRefused(
        try await answer(trial, try await yard.sharedChannel().namespace, yard.c.credentials), "not allowed")
    },
    Rule(
      "sockets.admission.direct-messages", .socketAccess,
      "Other members of the workspace are refused at direct messages."
    ) { trial in
      let yard = try await trial.courtyard()
      try await yard.a.invite(yard.c, to: yard.workspace)
      let room = try await yard.a.directMessage(with: yard.b, in: yard.workspace)
      try isRefused(try await answer(trial, try room.namespace, yard.c.credentials), "not allowed")
    },
    Rule("sockets.admission.unknown", .socketAccess, "An unknown room is refused with the same text.") { trial in
      let person = try await trial.person()
      for prefix in [RoomNamespace.Prefix.channel, .dm] {
        let name = RoomNamespace(prefix, trial.unknownID).name
        try isRefused(try await answer(trial, name, person.credentials), "not allowed")
      }
    },
    Rule("sockets.admission.engine-stays", .socketAccess, "After a refusal the session stays open.") { trial in
      let yard = try await trial.courtyard()
      let room = try await yard.sharedChannel()
      try await trial.withSocket { socket in
        let payload: JSON = [HeaderName.apiKey: .text(trial.key), "token": "garbage"]
        try isRefused(try await socket.connect(try room.namespace, payload: payload), "E02")
        try await socket.join(room, as: yard.b)
      }
    },
    bad("sockets.admission.bad-token", "E02", "An unknown token is refused at once with E02.") { trial, _ in
      [HeaderName.apiKey: .text(trial.key), "token": .text("garbage-\(Trial.unique())")]
    },
    bad("sockets.admission.bad-key", "E01", "An unknown key is refused at once with E01.") { _, person in
      [HeaderName.apiKey: "no-such-key", "token": .text(person.token)]
    },
    bad("sockets.admission.ended-session", "E02", "The token of a session that has ended is refused with E02.") {
      trial, person in
      let second = try await trial.signIn(person)
      try await second.call(.GET, "users/logout").isSuccess()
      return second.credentials
    },
    bad("sockets.admission.expired", "E05", "An expired token is refused with E05.", needs: [.clock]) { trial, person in
      try await trial.advanceClock(seconds: 25 * 3600)
      return person.credentials
    },
  ]
}
