import MadangAPI
import NIOHTTP1

/// Notifications, as a server in development mode stores them (wire contract, Notifications).
enum PushRules {
  /// What devices with these tokens were sent, once there are so many notifications.
  private static func pushes(_ trial: Trial, to devices: [String], count: Int) async throws -> [JSON] {
    var found: [JSON] = []
    let end = ContinuousClock.now + trial.server.patience
    repeat {
      let answer = try await trial.server.send(.GET, "/_dev/pushes?after=0", hasSession: true)
      found = try answer.list().filter { push in devices.contains { push["deviceToken"] == .text($0) } }
      if found.count >= count { return found }
      try await Task.sleep(for: .milliseconds(50))
    } while ContinuousClock.now < end
    let seconds = trial.server.patience.components.seconds
    throw Violation(expected: "\(count) notifications", seen: "\(found.count) after \(seconds) s")
  }

  private struct Scene {
    let a: Person
    let b: Person
    let devices: [String]
    let workspace: Workspace
  }

  private static func scene(_ trial: Trial) async throws -> Scene {
    let devices = ["device-a-\(Trial.unique())", "device-b-\(Trial.unique())"]
    let a = try await trial.person("Mina", deviceToken: devices[0])
    let b = try await trial.person("Joon", deviceToken: devices[1])
    let workspace = try await a.workspace()
    try await a.invite(b, to: workspace)
    return Scene(a: a, b: b, devices: devices, workspace: workspace)
  }

  private static func payload(_ push: JSON?) throws -> JSON {
    guard let push else { throw Violation(expected: "a notification", seen: "none") }
    return try push.value("payload")
  }

  static let all: [Rule] = [
    Rule(
      "push.channel", .notifications, "The push of a channel's chat has the keys of the contract, all strings.",
      needs: [.development]
    ) { trial in
      let scene = try await scene(trial)
      let room = try await scene.a.channel("잡담", in: scene.workspace)
      _ = try await scene.b.history(of: room)
      _ = try await scene.a.say("hello", in: room)
      let payload = try payload(try await pushes(trial, to: scene.devices, count: 1).first)
      let title = try scene.workspace.object.value("name")
      let alert: JSON = ["title": title, "body": "#잡담\nMina: hello"]
      try expectEqual("alert", payload["aps"]?["alert"], alert)
      try expectEqual("type", payload["type"], "channel")
      try expectEqual("workspace_id", payload["workspace_id"], .text(try scene.workspace.id))
      try expectEqual("channel_id", payload["channel_id"], .text(try room.id))
    },
    Rule(
      "push.dm", .notifications, "The push of a direct message has the sender's name and id.", needs: [.development]
    ) { trial in
      let scene = try await scene(trial)
      let room = try await scene.a.directMessage(with: scene.b, in: scene.workspace)
      _ = try await scene.a.say("hi", in: room)
      let payload = try payload(try await pushes(trial, to: scene.devices, count: 1).first)
      let alert: JSON = ["title": "Mina", "body": "hi"]
      try expectEqual("alert", payload["aps"]?["alert"], alert)
      try expectEqual("type", payload["type"], "dm")
      try expectEqual("room_id", payload["room_id"], .text(try room.id))
      try expectEqual("opponent_id", payload["opponent_id"], .text(try scene.a.id))
    },
    Rule(
      "push.no-text", .notifications, "The push of a chat without text says 사진.", needs: [.development]
    ) { trial in
      let scene = try await scene(trial)
      let room = try await scene.a.directMessage(with: scene.b, in: scene.workspace)
      try await scene.a.call(.POST, room.chats, .multipart([.file("files")])).isSuccess()
      let payload = try payload(try await pushes(trial, to: scene.devices, count: 1).first)
      try expectEqual("the text", payload["aps"]?["alert"]?["body"], "사진")
    },
    Rule("push.not-to-author", .notifications, "The author of a chat gets no push.", needs: [.development]) {
      trial in
      let scene = try await scene(trial)
      let room = try await scene.a.directMessage(with: scene.b, in: scene.workspace)
      _ = try await scene.a.say("one", in: room)
      _ = try await pushes(trial, to: scene.devices, count: 1)
      // The answer is told to A, by then A would have been told of the chat as well.
      _ = try await scene.b.say("two", in: room)
      let told = try await pushes(trial, to: scene.devices, count: 2).map { $0["deviceToken"]?.text ?? "" }
      try expectEqual("the devices notified", told.sorted(), scene.devices.map { JSON.text($0).text }.sorted())
    },
    Rule(
      "push.device-token", .notifications,
      "A device token that was cleared, or whose session has ended, gets no push.",
      needs: [.development]
    ) { trial in
      let scene = try await scene(trial)
      let room = try await scene.a.directMessage(with: scene.b, in: scene.workspace)
      let devices = [scene.devices[1], "device-ended-\(Trial.unique())", "device-stays-\(Trial.unique())"]
      try await scene.b.call(.POST, "users/deviceToken", .json(["deviceToken": ""])).isSuccess()
      let ended = try await trial.signIn(scene.b, deviceToken: devices[1])
      try await ended.call(.GET, "users/logout").isSuccess()
      _ = try await trial.signIn(scene.b, deviceToken: devices[2])
      for text in ["one", "two"] { _ = try await scene.a.say(text, in: room) }
      let told = try await pushes(trial, to: devices, count: 2)
      try expectEqual("the devices notified", told.map { $0["deviceToken"] }, [.text(devices[2]), .text(devices[2])])
    },
  ]
}
