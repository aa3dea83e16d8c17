import MadangAPI
import NIOHTTP1

/// Stored files (README 11).
enum FileRules {
  /// A chat's file, and its sender.
  private static func file(_ trial: Trial, _ bytes: [UInt8] = Sample.png) async throws -> (person: Person, path: String)
  {
    let person = try await trial.person()
    let room = try await person.channel(in: try await person.workspace())
    let chat = try await person.call(.POST, room.chats, .multipart([.file("files", bytes)])).json()
    guard case .text(let path)? = try chat.list("files").first else {
      throw Violation(expected: "one file", seen: chat.masked.text.shortened)
    }
    return (person, "/v1" + path)
  }

  private static func download(_ trial: Trial, _ headers: [(String, String)] = [], of bytes: [UInt8] = Sample.png)
    async throws -> Answer
  {
    let (person, path) = try await file(trial, bytes)
    return try await person.call(.GET, path, headers: headers)
  }

  /// A rule that a kind of file is known by its content.
  private static func kind(_ name: String, _ bytes: [UInt8], _ type: String, isAttachment: Bool = false) -> Rule {
    Rule("files.types.\(name)", "README 11.2", "\(name.uppercased()) is known by its content, whatever was declared.") {
      trial in
      let (person, path) = try await file(trial, bytes)
      try expect(path.hasSuffix("." + name), "a path that ends in .\(name)", seen: path)
      let answer = try await person.call(.GET, path)
      try expectEqual("Content-Type", try answer.header("Content-Type"), type)
      guard isAttachment else { return }
      let disposition = try answer.header("Content-Disposition")
      try expect(disposition.hasPrefix("attachment"), "Content-Disposition: attachment", seen: disposition)
    }
  }

  static let all: [Rule] = [
    Rule("files.bytes", "README 11.3", "A file comes back byte by byte.") { trial in
      let answer = try await download(trial)
      try expectEqual("the status", answer.status, 200)
      try expect(answer.body == Sample.png, "the bytes that were sent", seen: "\(answer.body.count) bytes")
    },
    kind("png", Sample.png, "image/png"), kind("jpeg", Sample.jpeg, "image/jpeg"), kind("gif", Sample.gif, "image/gif"),
    kind("webp", Sample.webp, "image/webp"), kind("heic", Sample.heic, "image/heic"),
    kind("pdf", Sample.pdf, "application/pdf", isAttachment: true),
    kind("zip", Sample.zip, "application/zip", isAttachment: true),
    Rule("files.headers", "README 11.3", "Files carry nosniff, a long private cache and Accept-Ranges.") { trial in
      let answer = try await download(trial)
      try expectEqual("X-Content-Type-Options", try answer.header("X-Content-Type-Options"), "nosniff")
      let cache = Set(
        try answer.header("Cache-Control").replacing(" ", with: "").split(separator: ",").map(String.init))
      try expectEqual("Cache-Control", cache.sorted(), ["immutable", "max-age=31536000", "private"])
      try expectEqual("Accept-Ranges", try answer.header("Accept-Ranges"), "bytes")
    },
    Rule("files.etag", "README 11.3", "Files carry a strong ETag, and If-None-Match with it is 304 without a body.") {
      trial in
      let (person, path) = try await file(trial)
      let tag = try await person.call(.GET, path).header("ETag")
      try expect(tag.hasPrefix("\"") && tag.hasSuffix("\"") && tag.count > 2, "a strong ETag", seen: tag)
      let answer = try await person.call(.GET, path, headers: [("If-None-Match", tag)])
      try expectEqual("the status", answer.status, 304)
      try expectEqual("bytes of the body", answer.body.count, 0)
    },
    Rule("files.etag-of-another", "README 11.3", "Another ETag in If-None-Match brings the file.") { trial in
      let answer = try await download(trial, [("If-None-Match", "\"another\"")])
      try expectEqual("the status", answer.status, 200)
    },
    Rule("files.range", "README 11.3", "A range is answered 206 with that part and Content-Range.") { trial in
      let answer = try await download(trial, [("Range", "bytes=4-9")])
      try expectEqual("the status", answer.status, 206)
      try expect(answer.body == Array(Sample.png[4...9]), "bytes 4 to 9", seen: "\(answer.body.count) bytes")
      try expectEqual("Content-Range", try answer.header("Content-Range"), "bytes 4-9/\(Sample.png.count)")
    },
    Rule("files.range-ends", "README 11.3", "Ranges may be open or count from the end.") { trial in
      let (person, path) = try await file(trial)
      let count = Sample.png.count
      for (range, expected) in [("bytes=\(count - 3)-", Sample.png.suffix(3)), ("bytes=-5", Sample.png.suffix(5))] {
        let answer = try await person.call(.GET, path, headers: [("Range", range)])
        try expectEqual("the status for \(range)", answer.status, 206)
        try expect(answer.body == Array(expected), "the part \(range)", seen: "\(answer.body.count) bytes")
      }
    },
    Rule("files.large", "README 6.4", "Five files of 7 MiB each in one request are taken.") { trial in
      let person = try await trial.person()
      let room = try await person.channel(in: try await person.workspace())
      let bytes = Sample.png + [UInt8](repeating: 7, count: 7 << 20)
      let parts = (0..<5).map { RequestBody.Part.file("file\($0)", bytes) }
      let chat = try await person.call(.POST, room.chats, .multipart(parts)).json()
      try expectEqual("the number of files", try chat.list("files").count, 5)
    },
    .refusal(.badRequest, "files.too-large", "README 6.4", "A file of more than 10 MiB is E11.") {
      let person = try await $0.person()
      let room = try await person.channel(in: try await person.workspace())
      let bytes = Sample.png + [UInt8](repeating: 7, count: 10 << 20)
      return try await person.call(.POST, room.chats, .multipart([.file("files", bytes)]))
    },
  ]
}
