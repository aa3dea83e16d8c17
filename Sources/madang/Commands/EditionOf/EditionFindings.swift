import MadangAPI

/// What was found in the sources of an app.
struct EditionFindings {
  /// How many beginnings of paths are remembered for a file.
  private static let mostBases = 20

  private let table = EditionTable.shared

  typealias FoundTemplate = (template: EditionTable.Template, place: SourcePlace, methods: Set<String>)

  /// Paths of the API, by the text of their template, with the methods that the sources name beside them.
  private(set) var templates: [String: FoundTemplate] = [:]
  /// For each edition, the paths, fields and types of ids that the other one does not have.
  private(set) var paths: [EditionName: SourceSigns] = [:]
  private(set) var fields: [EditionName: SourceSigns] = [:]
  /// Paths that look like the API's and are in no edition.
  private(set) var unknownPaths = SourceSigns()
  private(set) var addresses = SourceSigns()
  private(set) var keys = SourceSigns()
  private(set) var socketIO = SourceSigns()
  private(set) var namespaces = SourceSigns()
  /// Lines that bind the app to one host or certificate.
  private(set) var pins = SourceSigns()

  // MARK: Sources

  /// Adds what is in a source.
  mutating func add(_ tokens: [SourceToken], of file: String) {
    var singles: [PathReader.Found] = []
    var bases: [WrittenPath] = []
    var unmatched: [PathReader.Found] = []
    var hasPaths = false
    for found in PathReader(tokens, roots: table.roots).all() {
      addAddress(of: found, in: file)
      addNamespace(of: found, in: file)
      let path = found.path.withoutStart
      let template = table.template(of: path)
      if let template {
        if path.segments.count == 1, !path.hasSlash {
          singles.append(found)
        } else {
          add(template, found, file)
          hasPaths = true
        }
      }
      if path.hasSlash || template != nil, table.begins(path) {
        if !path.segments.isEmpty, bases.count < Self.mostBases, !bases.contains(path) { bases.append(path) }
      } else if template == nil {
        unmatched.append(found)
      }
    }
    // A text such as "workspaces" is a path where other paths are.
    for found in singles where hasPaths {
      if let template = table.template(of: found.path) { add(template, found, file) }
    }
    for found in unmatched { addUnmatched(found, after: bases, file) }
    addNames(in: tokens, of: file)
  }

  private mutating func add(_ template: EditionTable.Template, _ found: PathReader.Found, _ file: String) {
    let place = SourcePlace(file: file, line: found.line)
    let call = (found.method.map { $0 + " " } ?? "") + template.text
    let editions = template.editions(with: found.method)
    guard let edition = editions.first else { return unknownPaths.add(call, place) }
    var known = templates[template.text] ?? (template, place, [])
    if let method = found.method { known.methods.insert(method) }
    templates[template.text] = known
    guard editions.count == 1 else { return }
    let text = template.editions(with: nil).count == 1 ? template.text : call
    paths[edition, default: SourceSigns()].add(text, place)
  }

  /// A path that is in no edition as it stands: it may follow a base that the same file names.
  private mutating func addUnmatched(_ found: PathReader.Found, after bases: [WrittenPath], _ file: String) {
    guard found.path.hasSlash, !found.isList else { return }
    for base in bases {
      guard let template = table.template(of: found.path.behind(base)) else { continue }
      return add(template, found, file)
    }
    let path = found.path.withoutStart
    // A path with a host belongs to another service.
    guard path.origin == nil, table.isForeign(path) else { return }
    unknownPaths.add(path.text, SourcePlace(file: file, line: found.line))
  }

  private mutating func addAddress(of found: PathReader.Found, in file: String) {
    guard let origin = found.path.origin, origin.utf8.last != UInt8(ascii: "/") else { return }
    let path = WrittenPath(found.path.segments)
    guard path.segments.isEmpty || table.begins(path) || table.template(of: path) != nil else { return }
    addresses.add(origin, SourcePlace(file: file, line: found.line))
  }

  private mutating func addNamespace(of found: PathReader.Found, in file: String) {
    for prefix in RoomNamespace.Prefix.allCases {
      let text = String(decoding: found.text, as: UTF8.self)
      guard text.contains(prefix.rawValue.dropFirst()) else { continue }
      namespaces.add(prefix.rawValue, SourcePlace(file: file, line: found.line))
    }
  }

  // MARK: Names

  private mutating func addNames(in tokens: [SourceToken], of file: String) {
    var declared: [String: Int] = [:]
    // Properties with other names than their fields.
    var renamed: [String: SourcePlace] = [:]
    for (index, token) in tokens.enumerated() {
      let place = SourcePlace(file: file, line: token.line)
      if let text = token.text {
        let text = String(decoding: text, as: UTF8.self)
        if table.fields.contains(text) {
          declared[text] = declared[text] ?? token.line
          if text.hasSuffix("_id"), let name = NamesInTokens.property(for: index, of: tokens) { renamed[name] = place }
        }
        addName(text, place)
        if text.contains("socket.io") { socketIO.add("socket.io", place) }
      } else if let word = token.word {
        if AppNames.socketIO.contains(word) { socketIO.add(word, place) }
        if AppNames.pins.contains(word) { pins.add(word, place) }
        if AppNames.isAddress(word), let name = NamesInTokens.constant(at: index, of: tokens) {
          addresses.add(name, place)
        }
        guard table.fields.contains(word), NamesInTokens.isDeclared(at: index, of: tokens) else { continue }
        declared[word] = declared[word] ?? token.line
        if word.hasSuffix("_id") { addID(NamesInTokens.isNumeric(at: index, of: tokens), place) }
      }
    }
    if !renamed.isEmpty {
      let types = NamesInTokens.types(in: tokens)
      for (name, place) in renamed.sorted(by: { $0.value.line < $1.value.line }) { addID(types[name], place) }
    }
    addFields(declared, file)
  }

  /// - Parameter isNumeric: Nil if the type of an id cannot be seen.
  private mutating func addID(_ isNumeric: Bool?, _ place: SourcePlace) {
    guard let isNumeric, let edition = table.editionOfIDs[isNumeric] else { return }
    fields[edition, default: SourceSigns()].add("ids are \(isNumeric ? "integers" : "texts")", place)
  }

  /// A field counts if its object's other fields are in the file, too: `thumbnail` alone may be anything.
  private mutating func addFields(_ declared: [String: Int], _ file: String) {
    var counted: Set<String> = []
    // The object of which the file has most fields comes first.
    let objects = table.objects.map { ($0, $0.fields.filter { declared[$0] != nil }.count) }
      .sorted { ($1.1, $0.0.name) < ($0.1, $1.0.name) }
    for (object, _) in objects {
      for field in object.ownFields.sorted() {
        guard let line = declared[field], !counted.contains(field) else { continue }
        let others = object.fields.subtracting(object.ownFields).filter { declared[$0] != nil }
        guard others.count > 1, others.contains(where: AppNames.isCompound) else { continue }
        counted.insert(field)
        fields[object.edition, default: SourceSigns()].add(
          "\(field) (\(object.name))", SourcePlace(file: file, line: line))
      }
    }
  }

  /// A text or a name in a configuration file.
  private mutating func addName(_ text: String, _ place: SourcePlace) {
    if text.lowercased() == HeaderName.apiKey.lowercased() { keys.add(text, place) }
    if AppNames.pins.contains(text) { pins.add(text, place) }
    if AppNames.isAddress(text) { addresses.add(text, place) }
  }

  // MARK: Configuration files

  /// Adds what is in a file such as Info.plist.
  mutating func add(configuration bytes: [UInt8], of file: String) {
    for (index, line) in bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).enumerated() {
      guard line.count <= AppNames.longestLine else { continue }
      let place = SourcePlace(file: file, line: index + 1)
      for word in line.split(whereSeparator: { !SourceLexer.isOfWord($0) }) {
        addName(String(decoding: word, as: UTF8.self), place)
      }
      for piece in line.split(whereSeparator: { " \t\"'<>=,".utf8.contains($0) }) {
        guard let path = WrittenPath(Array(piece)), let origin = path.origin, path.segments.count < 2 else { continue }
        addresses.add(origin, place)
      }
    }
  }
}
