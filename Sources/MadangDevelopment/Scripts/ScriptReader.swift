import MadangCore

extension Script {
  /// One script, or a list of them, in YAML or JSON. ``Scripts/add(_:)`` checks the people; places are checked when a step
  /// runs.
  package static func read(
    _ text: String, isCancelled: () -> Bool = { false }
  ) throws(SeedError) -> [Script] {
    let node = try YAMLNode(parsing: text, maxSeparators: ScriptReader.maxSeparators, isCancelled: isCancelled)
    var reader = ScriptReader { (_, _, _) throws(SeedError) in }
    return try reader.read(all: node)
  }
}

/// Reads scripts of a seed, or those sent in the same form.
struct ScriptReader {
  /// The most separators of scripts that are sent: as many scripts as there may be, with commas in their texts.
  static let maxSeparators = 200_000

  /// Called with each place; throws for a missing one.
  let checkPlace: (Place, _ line: Int, _ field: String) throws(SeedError) -> Void
  /// Of the script that is being read.
  private var mentions: [Script.Mention] = []
  /// The e-mails of people whom steps of it sign up.
  var newcomers: Set<String> = []
  /// Whether a step of it calls the API: from then on there may be other places.
  var hasCalled = false

  init(checkPlace: @escaping (Place, _ line: Int, _ field: String) throws(SeedError) -> Void) {
    self.checkPlace = checkPlace
  }

  /// One script, or a list of them.
  mutating func read(all node: YAMLNode) throws(SeedError) -> [Script] {
    var node = node
    // As written in a seed.
    if case .fields(let fields) = node.value, fields.count == 1, let only = fields.first, only.name == "scripts" {
      node = only.node
    }
    var nodes = [node]
    if case .list(let list) = node.value { nodes = list }
    guard nodes.count <= Script.limit else { throw SeedError(node.line, "scripts: at most \(Script.limit)") }
    var (scripts, names) = ([Script](), Set<String>())
    for node in nodes {
      let script = try read(node)
      guard names.insert(script.name).inserted else {
        throw SeedError(node.line, "name: another script is called '\(BadCall.shortened(script.name))'")
      }
      scripts.append(script)
    }
    return scripts
  }

  private mutating func read(_ node: YAMLNode) throws(SeedError) -> Script {
    (mentions, newcomers, hasCalled) = ([], [], false)
    let fields = try YAMLFields(
      node, "a script", ["name", "when", "as", "after", "rate", "for", "times", "start", "do"])
    guard let name = try fields.shortText("name"), Script.isName(name) else {
      throw SeedError(fields.line("name"), "name: \(Script.nameRule)")
    }
    var script = Script(name: name)
    script.cast = try cast(fields)
    script.delay = try fields.span("after") ?? 0
    script.startsAtOnce = try fields.flag("start")
    if let times = try fields.number("times", in: 1...Script.maxTimes) { script.times = times }
    try read(trigger: fields, into: &script)
    let steps = try fields.list("do")
    guard (1...Script.maxSteps).contains(steps.count) else {
      throw SeedError(fields.line("do"), "do: a list of 1 to \(Script.maxSteps) steps")
    }
    for step in steps { script.steps.append(try read(step: step, of: script)) }
    script.mentions = mentions
    return script
  }

  // MARK: Triggers

  private mutating func read(trigger fields: YAMLFields, into script: inout Script) throws(SeedError) {
    let hasTimes = fields.node("times") != nil
    if let when = fields.node("when") {
      guard fields.node("rate") == nil, fields.node("for") == nil else {
        throw SeedError(when.line, "when: is not allowed with 'rate'; a script runs on chats or at a rate")
      }
      script.trigger = .chat(try pattern(when))
    } else if let text = try fields.text("rate") {
      guard let rate = Script.Rate(text) else {
        throw SeedError(fields.line("rate"), "rate: runs in a time, like 5/s or 30/m, at most \(Script.maxRate)/s")
      }
      script.trigger = .rate(rate)
      if let time = try fields.span("for") {
        script.times = hasTimes ? min(script.times, rate.runs(within: time)) : rate.runs(within: time)
      }
    } else {
      guard fields.node("for") == nil else { throw SeedError(fields.line("for"), "for: needs 'rate', like 5/s") }
      if !hasTimes { script.times = 1 }
    }
  }

  private mutating func pattern(_ node: YAMLNode) throws(SeedError) -> Script.Pattern {
    let when = try YAMLFields(node, "when", ["chat"])
    guard let chat = when.node("chat") else { throw SeedError(node.line, "when: {chat: {...}}; {} for every chat") }
    let fields = try YAMLFields(chat, "chat", ["from", "in", "to", "text"])
    var pattern = Script.Pattern()
    if let from = fields.node("from") { pattern.from = try names(from, "from") }
    pattern.place = try place(fields, "in")
    if let to = fields.node("to") { pattern.to = try name(to, "to") }
    guard pattern.to == nil || pattern.place == nil else {
      throw SeedError(chat.line, "chat: either in (a channel) or to (direct messages)")
    }
    pattern.text = try fields.text("text").map(TextPattern.init)
    return pattern
  }

  // MARK: Actors and steps

  private mutating func cast(_ fields: YAMLFields) throws(SeedError) -> Script.Cast? {
    guard let node = fields.node("as") else { return nil }
    if case .text("everybody") = node.value { return .everybody }
    return .named(try names(node, "as"))
  }

  private mutating func read(step node: YAMLNode, of script: Script) throws(SeedError) -> Script.Step {
    let fields = try YAMLFields(
      node, "a step",
      ["as", "post", "in", "to", "files", "join", "leave", "call", "body", "pictures", "edition", "wait"])
    let kinds = ["post", "join", "leave", "call", "wait"]
    guard kinds.count(where: { fields.node($0) != nil }) == 1 else {
      throw SeedError(node.line, "a step is one of: \(kinds.joined(separator: ", "))")
    }
    if let wait = try fields.span("wait") { return Script.Step(person: nil, kind: .wait(wait)) }
    var person: String?
    if let node = fields.node("as") { person = try name(node, "as") }
    let call = try call(fields)
    guard person != nil || script.cast != nil || call.map({ !$0.needsPerson }) ?? false else {
      throw SeedError(node.line, "as: the person who does this step")
    }
    if let call { return Script.Step(person: person, kind: .call(call)) }
    if let place = try place(fields, "join") { return Script.Step(person: person, kind: .join(place)) }
    if let place = try place(fields, "leave") { return Script.Step(person: person, kind: .leave(place)) }
    let text = try fields.text("post", as: .content) ?? ""
    let files = try fields.number("files", in: 0...Act.maxFiles) ?? 0
    let place = try place(fields, "in")
    var target = place.map(Act.Target.channel)
    if let to = fields.node("to") {
      if let problem = place?.problemBesidePerson { throw SeedError(fields.line("in"), problem) }
      target = .person(try name(to, "to"), in: place)
    }
    if target == nil {
      guard case .chat = script.trigger else {
        throw SeedError(
          node.line, "in: is missing; write a place like Weekend/ios, or 'to' with a person for a direct message")
      }
    }
    return Script.Step(person: person, kind: .post(text, to: target, files: files))
  }

  private mutating func names(_ node: YAMLNode, _ field: String) throws(SeedError) -> [String] {
    guard case .list(let list) = node.value else { return [try name(node, field)] }
    guard !list.isEmpty else { throw SeedError(node.line, "\(field): at least one person") }
    var names: [String] = []
    for node in list { names.append(try name(node, field)) }
    return names
  }

  private mutating func name(_ node: YAMLNode, _ field: String) throws(SeedError) -> String {
    let name = try node.shortText(field)
    mention(name, field, at: node.line)
    return name
  }

  mutating func mention(_ name: String, _ field: String, at line: Int) {
    let key = name.lowercased()
    guard !newcomers.contains(where: { $0 == key || $0.hasPrefix(key + "@") }) else { return }
    mentions.append(Script.Mention(person: name, field: field, line: line))
  }

  private func place(_ fields: YAMLFields, _ name: String) throws(SeedError) -> Place? {
    guard let text = try fields.shortText(name) else { return nil }
    guard let place = Place(text) else {
      throw SeedError(fields.line(name), "\(name): a workspace like Weekend, or a channel like Weekend/ios")
    }
    if !hasCalled { try checkPlace(place, fields.line(name), name) }
    return place
  }
}
