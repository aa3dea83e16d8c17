import MadangAPI
import MadangCore

/// One run of a script.
struct ScriptRun: Sendable {
  let script: Script
  /// From 1.
  let number: Int
  /// The chat that started it.
  let chat: Chat?
  /// The person for steps without one.
  let actor: String?
  /// The last step that began, from 1; 0 before the first.
  private(set) var step = 0
  private var hasWaited = false

  init(script: Script, number: Int, chat: Chat?, actor: String?) {
    (self.script, self.number, self.chat, self.actor) = (script, number, chat, actor)
  }

  enum Progress {
    case goesOn
    /// A pause in milliseconds.
    case waits(Int64)
    case isOver
  }

  /// The person who does the step.
  var person: String? { step == 0 ? actor : script.steps[step - 1].person ?? actor }

  /// Does the next step. Throws ``WorldError`` and ``Refused``, which end the run.
  mutating func next(_ people: People) async throws -> Progress {
    if !hasWaited, script.delay > 0 {
      hasWaited = true
      return .waits(script.delay)
    }
    guard step < script.steps.count else { return .isOver }
    step += 1
    let kind = script.steps[step - 1].kind
    if case .wait(let time) = kind { return .waits(time) }
    if case .call(let call) = kind, !call.needsPerson {
      try await people.perform(call, as: nil)
      return .goesOn
    }
    guard let person else { throw WorldError("as: the script has no person for this step") }
    switch kind {
    case .wait: break
    case .call(let call): try await people.perform(call, as: person)
    case .join(let place): try await people.perform(.join(place), as: person)
    case .leave(let place): try await people.perform(.leave(place), as: person)
    case .post(let text, let target, let files):
      let target = target ?? chat.map { .room(RoomAddress($0)) }
      guard let target else { throw WorldError("in: there is no chat to answer") }
      try await people.perform(.post(filled(text), to: target, files: files), as: person)
    }
    return .goesOn
  }

  /// A text with its placeholders replaced.
  private func filled(_ text: String) -> String {
    text.replacing(/\{(n|text|nickname)\}/) { match in
      switch match.1 {
      case "n": "\(number)"
      case "text": chat?.content ?? ""
      default: chat?.author.nickname ?? ""
      }
    }
  }
}

extension Script.Pattern {
  /// Whether a chat matches. Throws ``WorldError``.
  /// - Parameter actors: People whose chats do not match if no author is given.
  func matches(_ chat: Chat, besides actors: [String], _ people: People) async throws -> Bool {
    if let from {
      guard from.contains(where: chat.author.isCalled) else { return false }
    } else if actors.contains(where: chat.author.isCalled) {
      return false
    }
    guard text?.matches(chat.content) ?? true else { return false }
    if let place { return try await people.isIn(place, chat) }
    if let to { return try await people.isTo(to, chat) }
    return true
  }
}

extension Person {
  /// Whether a name means this person: the e-mail, or the text before its `@`.
  fileprivate func isCalled(_ name: String) -> Bool {
    let (email, name) = (email.lowercased(), name.lowercased())
    return email == name || email.hasPrefix(name + "@")
  }
}

extension RoomAddress {
  /// The place of a chat.
  fileprivate init(_ chat: Chat) {
    self.init(chat.room.kind, .number(chat.room.id.number), in: .number(chat.room.workspace))
  }
}
