import MadangAPI

extension ScriptReader {
  /// The call of a step; nil if the step is another one.
  mutating func call(_ fields: YAMLFields) throws(SeedError) -> PersonCall? {
    guard let text = try fields.text("call") else {
      for name in ["body", "pictures", "edition"] where fields.node(name) != nil {
        throw SeedError(fields.line(name), "\(name): is only allowed with 'call'")
      }
      return nil
    }
    for name in ["in", "to", "files"] where fields.node(name) != nil {
      throw SeedError(fields.line(name), "\(name): is not allowed with 'call'; write its path and its body")
    }
    let editionName = try fields.text("edition") ?? EditionName.october2024.rawValue
    guard let edition = EditionName(rawValue: editionName) else {
      throw SeedError(
        fields.line("edition"), "edition: \(EditionName.allCases.map(\.rawValue).joined(separator: " or "))")
    }
    let line = fields.line("call")
    var call: PersonCall
    do { call = try PersonCall(text, edition) } catch { throw SeedError(line, "call: \(error)") }
    call.body = try body(fields)
    for node in try fields.list("pictures") {
      call.pictures.append(try Self.checked(node.text("pictures"), node, "pictures"))
    }
    guard call.pictures.count <= PersonCall.maxFields else {
      throw SeedError(fields.line("pictures"), "pictures: at most \(PersonCall.maxFields)")
    }
    for person in call.people { mention(person, "call", at: line) }
    if !hasCalled { for place in call.places { try checkPlace(place, line, "call") } }
    hasCalled = true
    if let email = call.newcomer { newcomers.insert(email.lowercased()) }
    return call
  }

  private mutating func body(_ fields: YAMLFields) throws(SeedError) -> [(name: String, value: PersonCall.Value)] {
    guard let node = fields.node("body") else { return [] }
    guard case .fields(let parts) = node.value, parts.count <= PersonCall.maxFields else {
      throw SeedError(node.line, "body: {field: text}, with at most \(PersonCall.maxFields) fields")
    }
    var body: [(name: String, value: PersonCall.Value)] = []
    for (name, part) in parts {
      let name = try Self.checked(name, part, "body")
      switch part.value {
      case .none: body.append((name, .null))
      case .text(let text): body.append((name, .text(text)))
      case .list: throw SeedError(part.line, "\(name): a text, or {person: mina} for the person's id")
      case .fields:
        let person = try YAMLFields(part, name, ["person"])
        guard let who = try person.text("person") else {
          throw SeedError(part.line, "\(name): a text, or {person: mina} for the person's id")
        }
        mention(who, name, at: part.line)
        body.append((name, .person(who)))
      }
    }
    return body
  }

  /// The name of a field, which multipart can write as it is.
  private static func checked(_ name: String, _ node: YAMLNode, _ field: String) throws(SeedError) -> String {
    guard PersonCall.isFieldName(name) else {
      throw SeedError(node.line, "\(field): names of fields have letters, digits and _, at most 64")
    }
    return name
  }
}
