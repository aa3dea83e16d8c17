import MadangAPI
import MadangDevelopment

/// Both editions' paths and fields, as their documents name them, arranged for look-ups.
struct EditionTable: Sendable {
  /// A path of one edition, or of several that write it alike.
  struct Template: Sendable {
    /// As the newest of its editions writes it.
    let text: String
    let segments: [WrittenPath.Segment]
    /// The newest edition first.
    fileprivate(set) var operations: [(edition: EditionName, operation: DocumentedEdition.Operation)]

    /// The editions that have the path, with this method if it is known.
    func editions(with method: String?) -> Set<EditionName> {
      Set(operations.filter { method == nil || $0.operation.method == method }.map(\.edition))
    }
  }

  /// An object's fields, and which of them no object of another edition has.
  struct Object: Sendable {
    let edition: EditionName
    let name: String
    let fields: Set<String>
    let ownFields: Set<String>
  }

  static let shared = EditionTable(DocumentedEdition.all)

  private(set) var templates: [Template] = []
  let objects: [Object]
  /// All fields of objects.
  let fields: Set<String>
  /// The edition whose ids are integers, or texts.
  let editionOfIDs: [Bool: EditionName]
  /// Segments with which paths begin: versions, and what follows them, such as `workspaces`.
  let roots: Set<String>
  /// First segments, such as `v1`.
  private let versions: Set<WrittenPath.Segment>
  private let firstVersion: WrittenPath.Segment

  private init(_ editions: [DocumentedEdition]) {
    var byPath: [[WrittenPath.Segment]: Template] = [:]
    for edition in editions {
      for operation in edition.operations {
        let segments = Route.segments(of: operation.template).map { segment -> WrittenPath.Segment in
          if case .literal(let text) = segment { .literal(text) } else { .hole }
        }
        let template = Template(text: operation.template, segments: segments, operations: [])
        byPath[segments, default: template].operations.append((edition.name, operation))
      }
    }
    templates = byPath.values.sorted { $0.text < $1.text }
    versions = Set(templates.compactMap(\.segments.first))
    // Templates are in order.
    firstVersion = templates.first?.segments.first ?? .hole
    roots = Set(templates.flatMap { $0.segments.prefix(2) }.compactMap(\.literal))
    objects = editions.flatMap { edition in
      let foreign = Set(editions.filter { $0.name != edition.name }.flatMap { $0.objects.values.joined() })
      return edition.objects.map { name, fields in
        Object(edition: edition.name, name: name, fields: fields, ownFields: fields.subtracting(foreign))
      }
    }.filter { !$0.ownFields.isEmpty }.sorted { ($0.edition.rawValue, $0.name) < ($1.edition.rawValue, $1.name) }
    fields = Set(editions.flatMap { $0.objects.values.joined() })
    editionOfIDs = Dictionary(editions.map { ($0.hasNumericIDs, $0.name) }) { first, _ in first }
  }

  /// The template that a path follows. A path without version is one of the first version.
  func template(of path: WrittenPath) -> Template? {
    let segments = withVersion(path.segments)
    return templates.first { $0.segments == segments }
  }

  /// Whether a path is the beginning of a template.
  func begins(_ path: WrittenPath) -> Bool {
    let segments = withVersion(path.segments)
    return templates.contains { $0.segments.count > segments.count && $0.segments.starts(with: segments) }
  }

  /// Whether a path looks like one of the API, but fits no template, with any values.
  func isForeign(_ path: WrittenPath) -> Bool {
    guard let first = path.segments.first?.literal, path.segments.count > 1, isVersion(first) || roots.contains(first)
    else { return false }
    let segments = withVersion(path.segments)
    return !templates.contains { template in
      template.segments.count >= segments.count
        && zip(segments, template.segments).allSatisfy { $0 == .hole || $0 == $1 }
    }
  }

  /// The path with a version, and with parameters for the names of a stored file.
  private func withVersion(_ segments: [WrittenPath.Segment]) -> [WrittenPath.Segment] {
    let whole = segments.first.map { versions.contains($0) } == true ? segments : [firstVersion] + segments
    guard whole.dropFirst().first == Self.storedFile else { return whole }
    return Array(whole.prefix(2)) + whole.dropFirst(2).map { _ in .hole }
  }

  private static let storedFile = WrittenPath(Array(StoredPath.prefix.utf8))?.segments.first

  private func isVersion(_ segment: String) -> Bool { segment.wholeMatch(of: /v[0-9]{1,2}/) != nil }
}
