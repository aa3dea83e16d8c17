import Storage
import Synchronization

extension Madang {
  /// Writes a planting as a whole or not at all, without announcing it. Names and texts must follow the same rules as input of clients.
  /// Throws ``PlantingProblem`` for the first inconsistent part, `Failure`, and `CancellationError`.
  package func plant(_ planting: Planting) async throws {
    var stored = PlantedFiles()
    for person in planting.people { try await stored.add(person.picture, in: .profiles, self) }
    for workspace in planting.workspaces {
      try await stored.add(workspace.cover, in: .workspaceCoverImages, self)
      try await stored.add(workspace.defaultCover, in: .channelCoverImages, self)
      for chat in workspace.defaultChats { try await stored.add(chat.files, in: .channelChats, self) }
      for channel in workspace.channels {
        try await stored.add(channel.cover, in: .channelCoverImages, self)
        for chat in channel.chats { try await stored.add(chat.files, in: .channelChats, self) }
      }
      for pair in workspace.directMessages {
        for chat in pair.chats { try await stored.add(chat.files, in: .dmChats, self) }
      }
    }
    var hashes: [String] = []
    for person in planting.people {
      try Task.checkCancellation()
      hashes.append(try await hash(password: person.password))
    }
    let cancellation = Cancellation()
    try await withTaskCancellationHandler {
      try await database.write { [self, hashes, stored] transaction in
        var planter = Planter(madang: self, transaction: transaction, cancellation: cancellation, files: stored)
        for (person, hash) in zip(planting.people, hashes) { try planter.plant(person, hash: hash) }
        for workspace in planting.workspaces { try planter.plant(workspace) }
      }
    } onCancel: {
      cancellation.isRequested.store(true, ordering: .relaxed)
    }
  }
}

/// Carries the cancellation of a task to work on another thread.
private final class Cancellation: Sendable {
  let isRequested = Atomic(false)

  func check() throws { if isRequested.load(ordering: .relaxed) { throw CancellationError() } }
}

/// Stored files of a planting, in the order in which its parts name them.
private struct PlantedFiles: Sendable {
  private var files: [StoredFile] = []
  private var taken = 0

  mutating func add(_ blob: Planting.Blob?, in folder: FileFolder, _ madang: Madang) async throws {
    guard let blob else { return }
    try Task.checkCancellation()
    let upload = try await madang.files.receive(limit: madang.settings.files.maxSize)
    do {
      try await madang.files.append(blob.bytes, to: upload)
      guard let staged = try await madang.files.finish(upload, named: blob.name) else {
        throw Failure(.invalid, "a file is empty")
      }
      files.append(try await madang.files.keep(staged, in: folder))
    } catch {
      await madang.files.discard([upload])
      throw error
    }
    await madang.files.discard([upload])
  }

  mutating func add(_ blobs: [Planting.Blob], in folder: FileFolder, _ madang: Madang) async throws {
    for blob in blobs { try await add(blob, in: folder, madang) }
  }

  mutating func next(_ blob: Planting.Blob?) -> StoredFile? {
    guard blob != nil else { return nil }
    defer { taken += 1 }
    return files[taken]
  }
}

/// Writes the parts of a planting.
private struct Planter {
  let madang: Madang
  let transaction: Transaction
  let cancellation: Cancellation
  var files: PlantedFiles
  var people: [Int64] = []

  mutating func plant(_ person: Planting.Person, hash: String) throws {
    try cancellation.check()
    let now = person.createdAt
    let account = try transaction.insertUser(
      uuid: madang.ids.uuid(), email: try TextRules.email(person.email), credential: .password(hash: hash),
      nickname: try TextRules.nickname(person.nickname), phone: try TextRules.phone(person.phone), now: now)
    guard let id = account?.person.id.number else {
      throw PlantingProblem("two people have the e-mail \(person.email)")
    }
    people.append(id)
    try transaction.addCoins(person.coins ?? madang.settings.coins.signUp, to: id, for: "sign-up", now: now)
    if let picture = files.next(person.picture) {
      try transaction.insertFile(picture, room: nil, uploader: id, now: now)
      try transaction.updateUser(id, picture: picture.path)
    }
    for device in person.devices {
      _ = try transaction.insertSession(
        user: id, from: Origin(edition: device.edition, address: ""), refreshHash: RefreshToken(madang.ids).hash,
        refreshExpiresAt: madang.clock.now + madang.settings.sessions.refreshLifetime, deviceToken: device.token,
        now: now)
      try transaction.takeDeviceToken(device.token, for: id)
    }
  }

  mutating func plant(_ workspace: Planting.Workspace) throws {
    let (now, owner) = (workspace.createdAt, people[workspace.owner])
    let cover = try cover(workspace.cover, of: owner, now)
    let id = try transaction.insertWorkspace(
      uuid: madang.ids.uuid(), name: try TextRules.name(workspace.name),
      description: try TextRules.description(workspace.description), cover: cover, owner: owner, now: now)
    guard let id else {
      throw PlantingProblem("two workspaces are called '\(workspace.name)'")
    }
    if !workspace.members.contains(where: { $0.person == workspace.owner }) {
      try transaction.insertWorkspaceMember(owner, workspace: id, now: now)
    }
    var main = Planting.Channel(name: madang.settings.workspaces.channelName, owner: workspace.owner, createdAt: now)
    main.description = workspace.defaultDescription ?? madang.settings.workspaces.channelDescription
    main.cover = workspace.defaultCover
    main.members = workspace.members
    main.chats = workspace.defaultChats
    for member in workspace.members {
      try transaction.insertWorkspaceMember(people[member.person], workspace: id, now: member.joinedAt)
    }
    try plant(main, isDefault: true, in: (id, workspace.name))
    for channel in workspace.channels { try plant(channel, isDefault: false, in: (id, workspace.name)) }
    for pair in workspace.directMessages {
      try cancellation.check()
      let room = try transaction.insertDirectMessage(
        uuid: madang.ids.uuid(), workspace: id, of: people[pair.people.0], and: people[pair.people.1],
        now: pair.createdAt)
      guard let room else {
        throw PlantingProblem("two people have two rooms of direct messages in the workspace '\(workspace.name)'")
      }
      try plant(pair.chats, in: room)
    }
    for member in workspace.members where member.hasLeft {
      try transaction.removeWorkspaceMember(people[member.person], workspace: id)
    }
  }

  private mutating func plant(
    _ channel: Planting.Channel, isDefault: Bool, in workspace: (id: Int64, name: String)
  ) throws {
    try cancellation.check()
    let (now, owner) = (channel.createdAt, people[channel.owner])
    let room = try transaction.insertChannel(
      NewChannel(
        uuid: madang.ids.uuid(), workspace: workspace.id, name: try TextRules.channelName(channel.name),
        description: try TextRules.description(channel.description), cover: try cover(channel.cover, of: owner, now),
        owner: owner, isDefault: isDefault), now: now)
    guard let room else {
      throw PlantingProblem("the workspace '\(workspace.name)' has two channels '\(channel.name)'")
    }
    if !channel.members.contains(where: { $0.person == channel.owner }) {
      try transaction.joinChannel(room, user: owner, now: now)
    }
    for member in channel.members {
      try transaction.joinChannel(room, user: people[member.person], now: member.joinedAt)
    }
    try plant(channel.chats, in: room)
    for member in channel.members where member.hasLeft {
      try transaction.leaveChannel(room, user: people[member.person])
    }
    if channel.isDeleted { try transaction.deleteChannel(room, now: madang.clock.now) }
  }

  private mutating func cover(_ blob: Planting.Blob?, of owner: Int64, _ now: Int64) throws -> String? {
    guard let file = files.next(blob) else { return nil }
    try transaction.insertFile(file, room: nil, uploader: owner, now: now)
    return file.path
  }

  private mutating func plant(_ chats: [Planting.Chat], in room: Int64) throws {
    var ordinals: [Int64: Int64] = [:]
    for (index, chat) in chats.enumerated() {
      try cancellation.check()
      let author = people[chat.author]
      ordinals[author, default: 0] += 1
      let id = try transaction.insertPlantedChat(
        uuid: madang.ids.uuid(), room: room, seq: Int64(index + 1), author: author, ordinal: ordinals[author] ?? 1,
        content: try TextRules.content(chat.content, maxLength: madang.settings.maxContentLength),
        files: chat.files.count, createdAt: chat.createdAt)
      for (position, blob) in chat.files.enumerated() {
        guard let stored = files.next(blob) else { continue }
        let file = try transaction.insertFile(stored, room: room, uploader: author, now: chat.createdAt)
        try transaction.attach(file, to: id, at: position)
      }
    }
    guard let last = chats.last else { return }
    try transaction.setEnd(ofRoom: room, seq: Int64(chats.count), at: last.createdAt)
  }
}
