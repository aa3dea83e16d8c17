import MadangAPI
import MadangCore

// Steps that make a call of the API.

extension Recorder {
  mutating func signUp(_ exchange: RecordedExchange) {
    guard let email = exchange.ownEmail else { return leave(.session) }
    if let account = options.account, account.lowercased() != email.lowercased() { return leave(.ofOthers) }
    emails.insert(email)
    var body: [(name: String, value: RecordedStep.Value)] = [
      ("email", .text(email)), ("password", .text(SeedReader.defaultPassword)),
    ]
    for name in ["nickname", "phone"] {
      if let text = exchange.body[name] ?? exchange.answer?.text(name), !text.isEmpty {
        body.append((name, .text(text)))
      }
    }
    append(.call("POST users/join", .october2024, body: body, pictures: [], by: nil), at: exchange.time)
  }

  /// Fields that are never written: tokens and devices.
  private static let dropped = ["deviceToken", "device_token"]

  mutating func call(_ exchange: RecordedExchange, _ person: String) {
    var path: [String] = []
    for (part, segment) in zip(exchange.match.operation.template.split(separator: "/"), exchange.segments) {
      path.append(part.first == "{" ? written(segment, part.dropFirst().dropLast(), exchange) : segment)
    }
    if path.first == "v1" { path.removeFirst() }
    var body: [(name: String, value: RecordedStep.Value)] = []
    for (name, text) in exchange.body.fields where PersonCall.isFieldName(name) && !Self.dropped.contains(name) {
      if Secrets.isSecret(name) {
        if name == "password" { body.append((name, .text(SeedReader.defaultPassword))) }
      } else if let text, ["owner_id", "opponent_id"].contains(name) {
        if let email = names.email(text) {
          body.append((name, .person(email)))
        } else {
          remark("\(exchange.label): no person with the id \(text) is known.")
          body.append((name, .text(text)))
        }
      } else {
        body.append((name, text.map { .text($0) } ?? .null))
      }
    }
    append(
      .call(
        "\(exchange.match.operation.method) \(path.joined(separator: "/"))", exchange.edition, body: body,
        pictures: exchange.body.files.map { PersonCall.isFieldName($0) ? $0 : "image" }, by: person), at: exchange.time)
  }

  /// A parameter of a path, by name if it is known.
  private mutating func written(_ id: String, _ parameter: Substring, _ exchange: RecordedExchange) -> String {
    switch parameter {
    case "workspace": if let name = names.workspace(id) { return PersonCall.braced(name) }
    case "channel":
      let channelID = names.channelID(of: exchange) ?? id
      let name = names.channel(channelID)?.name ?? (exchange.edition == .january2024 ? id : nil)
      if let name, let workspace = names.workspace(exchange.workspace) {
        return PersonCall.braced("\(workspace)/\(name)")
      }
    case "user":
      if let email = names.email(id) { return PersonCall.braced("@\(email)") }
    default: break
    }
    remark("\(exchange.label): the name of the \(parameter) \(id) is unknown.")
    return percentEncoded(id)
  }
}
