import Foundation
import MadangAPI
import MadangCore

/// Exports a server's data as a seed. It shows one moment, except for data that is deleted meanwhile. Memory does not grow
/// with the number of chats.
///
/// Passwords cannot be read: all people of the seed get the default one. Deleted channels lose name and chats. Sessions
/// without a device and payments are not exported, and disabled accounts are not marked.
struct SeedExport {
  /// The largest number of exported chats: a seed with more could not be read.
  static let maxChats: Int64 = 400_000
  /// The largest exported file, in bytes; larger ones become generated pictures.
  static let maxFile = 64 << 10
  /// The bytes of files that are exported; later files become generated pictures.
  static let maxFiles = 8 << 20
  /// The picture that replaces a file.
  static let substitute = "#999999"
  static let page: Int64 = 500
  private static let chunk = 64 << 10

  let madang: Madang
  let inventory: Inventory
  let now: Int64
  let names: [Int64: String]
  var out: SeedText
  private var fileBytes = 0

  /// Throws ``WorldError`` if the data exceeds the limits of a seed.
  init(_ madang: Madang, name: String, _ format: SeedText.Format) async throws {
    self.madang = madang
    now = madang.clock.now
    inventory = try await madang.inventory()
    guard inventory.chats <= Self.maxChats else {
      throw WorldError("there are \(inventory.chats) chats; an exported seed has at most \(Self.maxChats)")
    }
    let people = inventory.people.map(\.account.person)
    let short = ShortNames.of(people.map(\.email))
    names = Dictionary(uniqueKeysWithValues: people.map { ($0.id.number, short[$0.email] ?? $0.email) })
    out = SeedText(
      format,
      head: [
        "Exported from a server. Passwords cannot be read: all people have \(SeedReader.defaultPassword)",
        "Files of more than \(Self.maxFile) bytes, and files beyond \(Self.maxFiles) bytes in all, are grey pictures.",
      ])
    out.field("name", .text(name))
    out.field("now", .text(WireDate.string(now)))
  }

  /// Writes all of it.
  mutating func write(_ sink: ([UInt8]) async throws -> Void) async throws {
    if !inventory.people.isEmpty {
      out.openList("people")
      for person in inventory.people {
        out.item(try await value(of: person))
        try await flush(sink)
      }
      out.closeList()
    }
    if !inventory.workspaces.isEmpty {
      out.openList("workspaces")
      for workspace in inventory.workspaces {
        out.openItem()
        try await write(workspace, sink)
        out.closeItem()
      }
      out.closeList()
    }
    out.end()
    try await sink(out.take())
  }

  mutating func flush(_ sink: ([UInt8]) async throws -> Void) async throws {
    if out.size >= Self.chunk { try await sink(out.take()) }
  }

  func distance(_ moment: Int64) -> SeedValue { .word(LengthOfTime.text(ofMilliseconds: moment - now)) }
  func name(_ person: Int64) -> SeedValue { .text(names[person] ?? "") }

  // MARK: People

  private mutating func value(of resident: Inventory.Resident) async throws -> SeedValue {
    let account = resident.account
    var fields: [(String, SeedValue)] = [
      ("email", .text(account.person.email)), ("nickname", .text(account.person.nickname)),
    ]
    if !account.phone.isEmpty { fields.append(("phone", .text(account.phone))) }
    if let picture = account.person.picture { fields.append(("picture", try await file(picture))) }
    fields += [("coins", .plain("\(account.coins)")), ("joined", distance(account.createdAt))]
    if !resident.devices.isEmpty {
      let devices = resident.devices.map {
        SeedValue.fields([("token", .text($0.token)), ("edition", .text($0.edition))])
      }
      fields.append(("devices", .list(devices)))
    }
    return .fields(fields)
  }

  /// A file: a generated picture, its bytes, or its replacement.
  mutating func file(_ path: String) async throws -> SeedValue {
    guard let bytes = try? await madang.bytes(ofFile: path, limit: Self.maxFile),
      fileBytes + bytes.count <= Self.maxFiles
    else { return .fields([("color", .text(Self.substitute))]) }
    fileBytes += bytes.count
    guard let picture = PlainPicture(png: bytes) else {
      let data = ("data", SeedValue.text(Data(bytes).base64EncodedString()))
      return .fields([data] + (FileStore.documentName(ofShown: path).map { [("name", .text($0))] } ?? []))
    }
    let color = picture.color.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    return .fields([
      ("color", .text("#" + color)), ("width", .plain("\(picture.width)")), ("height", .plain("\(picture.height)")),
    ])
  }
}

extension PlainPicture {
  /// The generated picture with these bytes; nil if they are none.
  fileprivate init?(png bytes: [UInt8]) {
    func number(_ start: Int) -> Int { bytes[start..<start + 4].reduce(0) { $0 << 8 | Int($1) } }
    // The header's chunk, and that of a palette of one colour.
    guard bytes.count > 44, case (let width, let height) = (number(16), number(20)), (1...1024).contains(width),
      (1...1024).contains(height)
    else { return nil }
    self.init(color: Array(bytes[41..<44]), width: width, height: height)
    guard png == bytes else { return nil }
  }
}
