import MadangAPI
import MadangDevelopment

/// For which edition an app was written, why, and what it uses.
struct EditionReport: Encodable {
  enum Found: String, Encodable {
    /// Signs of one edition only.
    case one
    /// Signs of both editions.
    case both
    /// Only what the editions have in common.
    case common
    case nothing
  }

  struct Sign: Encodable {
    let edition: EditionName
    let text: String
    let file: String
    let line: Int
    let times: Int
  }

  struct Operation: Encodable {
    let id: String
    let method: String
    let path: String
    let editions: [EditionName]
    let file: String
    let line: Int

    var place: SourcePlace { SourcePlace(file: file, line: line) }
  }

  let found: Found
  let edition: EditionName?
  let signs: [Sign]
  let operations: [Operation]
  let unknownPaths: [SourceSign]
  let addresses: [SourceSign]
  let keys: [SourceSign]
  let usesSocketIO: Bool
  let namespaces: [SourceSign]
  let pins: [SourceSign]
  let files: Int
  let bytes: Int
  let leftOut: Int
  let isComplete: Bool

  /// So many paths of the API cannot be chance.
  private static let enoughPaths = 3

  init(_ findings: EditionFindings, files: Int, bytes: Int, leftOut: Int, isComplete: Bool) {
    let isKnown =
      findings.templates.count >= Self.enoughPaths || !findings.keys.all.isEmpty || !findings.namespaces.all.isEmpty
    let decisive = findings.paths.isEmpty ? findings.fields : findings.paths
    let isEmpty = findings.templates.isEmpty && findings.fields.isEmpty && findings.namespaces.all.isEmpty
    found =
      switch decisive.count {
      case _ where !isKnown || isEmpty: .nothing
      case 0: .common
      case 1: .one
      default: .both
      }
    edition = found == .one ? decisive.keys.first : nil
    signs = [findings.paths, findings.fields].flatMap { signs in
      EditionName.newestFirst.flatMap { edition in
        (signs[edition]?.all ?? []).map {
          Sign(edition: edition, text: $0.text, file: $0.file, line: $0.line, times: $0.times)
        }
      }
    }
    operations = Self.operations(findings, of: edition)
    unknownPaths = findings.unknownPaths.all
    addresses = findings.addresses.all
    keys = findings.keys.all
    usesSocketIO = !findings.socketIO.all.isEmpty
    namespaces = findings.namespaces.all
    pins = findings.pins.all
    (self.files, self.bytes, self.leftOut, self.isComplete) = (files, bytes, leftOut, isComplete)
  }

  /// The operations at the paths that were found. Where the sources name no method beside the path, all of the path's.
  private static func operations(_ findings: EditionFindings, of edition: EditionName?) -> [Operation] {
    findings.templates.values.sorted { $0.template.text < $1.template.text }.flatMap {
      template, place, methods -> [Operation] in
      let candidates = template.operations.filter { row in
        (edition == nil || row.edition == edition) && (methods.isEmpty || methods.contains(row.operation.method))
      }
      return Dictionary(grouping: candidates) { $0.operation.id }.sorted { $0.key < $1.key }.compactMap { id, rows in
        rows.first.map { first in
          Operation(
            id: id, method: first.operation.method, path: first.operation.template,
            editions: rows.map(\.edition), file: place.file, line: place.line)
        }
      }
    }
  }

  /// Whether the app calls an operation, or may call it.
  func uses(_ id: String) -> Bool { operations.contains { $0.id == id } }

  /// How many operations the edition has.
  static func count(of edition: EditionName) -> Int {
    DocumentedEdition.all.first { $0.name == edition }?.operations.count ?? 0
  }
}

extension EditionName {
  /// How ids look.
  var ids: String {
    switch self {
    case .october2024: "ids are UUIDs"
    case .january2024: "ids are integers, channels are addressed by name"
    }
  }
}
