import Foundation
import HTTPTypes
import MadangAPI
import MadangCore
import MadangServer
import NIOCore
import SocketIOProtocol

/// A client's session in an HTTP archive (HAR 1.2) of any tool, read without a server.
package struct RecordedArchive {
  /// The largest archive that is read, in bytes.
  package static let maxSize = 64 << 20

  private(set) var exchanges: [RecordedExchange] = []
  private(set) var sightings: [Recorder.Sighting] = []
  /// How many requests are no call of the API.
  private(set) var unknown = 0
  /// The start of the first call, in real milliseconds since 1970.
  private(set) var start = 0.0
  /// The server's clock less real time, in milliseconds, as far as answers show it.
  private(set) var difference = 0.0

  /// A seed of what the answers show, with a script of what the client did.
  /// - Parameters:
  ///   - account: The e-mail, or the text before its `@`, of the person whose calls count; it is also taken for calls that do not show theirs.
  /// - Throws: ``WorldError`` with the entry, the cause and the cure.
  package static func seed(
    of bytes: [UInt8], name: String, account: String?, pauses: Bool
  ) throws(WorldError) -> (text: String, summary: Recording.Summary) {
    let archive = try RecordedArchive(bytes, account: account)
    var options = Recorder.Options()
    guard Script.isName(name) else { throw WorldError("--name: \(Script.nameRule)") }
    (options.name, options.pauses) = (name, pauses)
    options.since = Int64(archive.start + archive.difference)
    if let account { options.account = archive.email(of: account) }
    var world = RecordedWorld(options)
    world.learn(archive.exchanges, archive.sightings)
    var recorder = Recorder(options)
    let recording = try recorder.record(archive.exchanges, archive.sightings, unknown: archive.unknown)
    let text = RecordedSeed.text(of: world, for: recording) + recording.text
    do { _ = try Seed(text) } catch { throw WorldError("what the archive shows makes no seed: \(error)") }
    return (text, recording.summary)
  }

  init(_ bytes: [UInt8], account: String?) throws(WorldError) {
    guard bytes.count <= Self.maxSize else {
      throw WorldError("an archive has at most \(Self.maxSize) bytes; export fewer requests")
    }
    let text = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? Array(bytes.dropFirst(3)) : bytes
    let archive: ForeignHAR
    do { archive = try ForeignHAR.read(text) } catch {
      throw WorldError("is no HTTP archive (HAR 1.2): \(error)")
    }
    var read: [Numbered] = []
    for (index, entry) in archive.log.entries.enumerated() {
      switch entry {
      case .value(let entry): read.append(try Numbered(entry, index + 1))
      case .unreadable(let problem): throw WorldError("entry \(index + 1): \(problem)")
      }
    }
    read.sort { ($0.time, $0.number) < ($1.time, $1.number) }
    let mostly = read.mostCommonEdition
    for one in read {
      if let exchange = one.exchange(mostly) { exchanges.append(exchange) } else if !one.isSocket { unknown += 1 }
      sightings += one.sightings
    }
    guard let first = exchanges.first else {
      throw WorldError("no entry is a call of the API; paths begin with /v1/")
    }
    start = first.time
    let tokens = Callers(read, exchanges, account: account.map { self.email(of: $0) })
    for index in exchanges.indices { exchanges[index].person = tokens.person(of: exchanges[index]) }
    sightings.sort { $0.time < $1.time }
    difference = clockDifference(read)
  }

  /// An e-mail that the archive shows and whose text before the `@` this is; otherwise the text.
  private func email(of name: String) -> String {
    guard !name.contains("@") else { return name }
    var emails: Set<String> = []
    for exchange in exchanges {
      SeenObject.each(in: exchange.answer ?? .null, workspace: nil) { object in
        if case .person(_, let json) = object, let email = json.text("email") { emails.insert(email) }
      }
    }
    return emails.sorted().first { $0.lowercased().hasPrefix(name.lowercased() + "@") } ?? name
  }

  /// From what the client itself wrote, else from the header `Date`.
  private func clockDifference(_ entries: [Numbered]) -> Double {
    for exchange in exchanges {
      guard exchange.operation.hasPrefix("post"), let chat = exchange.answer.flatMap({ SeenChat($0) }),
        let moment = TimeText.date(chat.createdAt)
      else { continue }
      return Double(moment - Recorder.Options().offset(exchange.edition)) - exchange.time
    }
    return entries.lazy.compactMap(\.clockDifference).first ?? 0
  }
}

extension ForeignHAR {
  /// Throws the reason, in words.
  fileprivate static func read(_ bytes: [UInt8]) throws(WorldError) -> ForeignHAR {
    do { return try ForeignJSON.decode(ForeignHAR.self, from: bytes) } catch {
      switch error as? DecodingError {
      case .keyNotFound(let key, _): throw WorldError("\(key.stringValue) is missing")
      case .typeMismatch(_, let context), .valueNotFound(_, let context):
        throw WorldError("\(context.codingPath.last?.stringValue ?? "it") has another form")
      default: throw WorldError("it is not JSON in UTF-8, or was cut off")
      }
    }
  }
}
