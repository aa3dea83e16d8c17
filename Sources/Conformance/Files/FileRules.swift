import Foundation
import MadangAPI
import NIOHTTP1

/// Stored files (wire contract, File types; Downloads).
enum FileRules {
  /// A chat's file, and its sender.
  private static func file(
    _ trial: Trial, _ bytes: [UInt8] = Sample.png, named name: String = "a b:c.jpg"
  ) async throws -> (person: Person, path: String) {
    let (person, room) = try await trial.personInChannel()
    let chat = try await person.call(.POST, room.chats, .multipart([.file("files", bytes, filename: name)])).json()
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
    Rule("files.types.\(name)", .fileTypes, "\(name.uppercased()) is detected by its content, with any declared type.")
    {
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

  /// A rule that chats take a document, and that it is served as an attachment.
  private static func document(_ fileExtension: String, _ bytes: [UInt8], _ type: String) -> Rule {
    Rule(
      "files.documents.\(fileExtension)", .fileTypes,
      "Chats take .\(fileExtension) by content and extension, and it is served as an attachment."
    ) { trial in
      let (person, path) = try await file(trial, bytes, named: "회의록 1.\(fileExtension.uppercased())")
      try expect(path.hasSuffix("." + fileExtension), "a path that ends in .\(fileExtension)", seen: path)
      let answer = try await person.call(.GET, path)
      try expect(answer.body == bytes, "the bytes that were sent", seen: answer.description)
      let seen = try answer.header("Content-Type")
      try expect(seen.prefix { $0 != ";" } == type, "Content-Type: \(type)", seen: seen)
      let name = path.split(separator: "/").last.map(String.init) ?? ""
      try expectEqual(
        "Content-Disposition", try answer.header("Content-Disposition"), "attachment; filename*=UTF-8''\(name)")
      try expectEqual("X-Content-Type-Options", try answer.header("X-Content-Type-Options"), "nosniff")
    }
  }

  /// What clients show as the name of a document: what stands before the last underscore of its path.
  private static func shownName(_ path: String) -> String {
    let name = path.split(separator: "/").last ?? ""
    return name.lastIndex(of: "_").map { String(name[..<$0]) } ?? ""
  }

  static let documents: [Rule] = [
    document("doc", Sample.compound, "application/msword"),
    document(
      "docx", Sample.zip, "application/vnd.openxmlformats-officedocument.wordprocessingml.document"),
    document("xls", Sample.compound, "application/vnd.ms-excel"),
    document("xlsx", Sample.zip, "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"),
    document("ppt", Sample.compound, "application/vnd.ms-powerpoint"),
    document("pptx", Sample.zip, "application/vnd.openxmlformats-officedocument.presentationml.presentation"),
    document("hwp", Sample.compound, "application/vnd.hancom.hwp"),
    document("hwpx", Sample.zip, "application/vnd.hancom.hwpx"), document("mp3", Sample.mp3, "audio/mpeg"),
    document("m4a", Sample.film("M4A "), "audio/mp4"), document("wav", Sample.wav, "audio/wav"),
    document("mp4", Sample.film("isom"), "video/mp4"), document("mov", Sample.film("qt  "), "video/quicktime"),
    document("avi", Sample.avi, "video/x-msvideo"), document("txt", Sample.koreanText, "text/plain"),
    document("csv", Sample.text, "text/csv"), document("md", Sample.text, "text/markdown"),
    Rule(
      "files.documents.content-decides", .fileTypes,
      "Content decides the family of a file, with any extension or none."
    ) { trial in
      for (name, bytes, expected) in [
        ("film", Sample.film("qt  "), "mov"), ("sound.docx", Sample.mp3, "mp3"), ("archive", Sample.zip, "zip"),
        ("picture.pdf", Sample.png, "png"),
      ] {
        let path = try await file(trial, bytes, named: name).path
        try expect(path.hasSuffix("." + expected), "a path that ends in .\(expected) for \(name)", seen: path)
      }
    },
    Rule(
      "files.documents.refused", .fileTypes,
      "Text named as a picture, text with control characters, and programs are E11, and nothing is stored."
    ) { trial in
      let (person, room) = try await trial.personInChannel()
      for (name, bytes) in [
        ("a.png", Sample.text), ("a.txt", Sample.text + [0]), ("a.txt", [0xC2, 0x85]),
        ("a.exe", Array("MZ".utf8) + [0x90, 0, 3, 0]),
      ] {
        let answer = try await person.call(
          .POST, room.chats, .multipart([.text("content", "x"), .file("files", bytes, filename: name)]))
        try answer.isRefused(.badRequest)
      }
      try expectEqual("the number of chats", try await person.history(of: room).count, 0)
    },
    Rule(
      "files.documents.name", .fileTypes,
      "A document keeps its name before the last underscore of its path, percent-encoded."
    ) { trial in
      for (name, expected) in [
        ("이력서 2.PDF", "이력서 2"), ("a_b_c.pdf", "a_b_c"), ("../../etc/passwd.pdf", "passwd"),
        ("C:\\\\Users\\\\m\\\\100%.pdf", "100%"), ("사과".decomposedStringWithCanonicalMapping + ".pdf", "사과"),
        (String(repeating: "가", count: 100) + ".pdf", String(repeating: "가", count: 80)),
        ("감 “x”; y.v2.pdf", "감 “x”; y.v2"),
      ] {
        let path = try await file(trial, Sample.pdf, named: name).path
        try expect(path.utf8.allSatisfy { 0x21..<0x7F ~= $0 }, "a path of ASCII", seen: path)
        let shown = shownName(path).removingPercentEncoding ?? ""
        try expect(shown.utf8.elementsEqual(expected.utf8), "the name \(expected)", seen: path)
      }
    },
    Rule("files.documents.unique", .fileTypes, "Documents of the same name have different paths.") { trial in
      let (person, room) = try await trial.personInChannel()
      let parts = (0..<5).map { _ in RequestBody.Part.file("files", Sample.pdf, filename: "a.pdf") }
      let chat = try await person.call(.POST, room.chats, .multipart(parts)).json()
      let paths = try chat.list("files").map(\.text)
      try expectEqual("the number of different paths", Set(paths).count, 5)
    },
    Rule(
      "files.documents.encoded-twice", .downloads,
      "A file is found by its path as given, and by one that was percent-encoded once more."
    ) { trial in
      let (person, path) = try await file(trial, Sample.pdf, named: "한글 100% a_b.pdf")
      for form in [path, path.replacing("%", with: "%25")] {
        let answer = try await person.call(.GET, form)
        try expect(answer.body == Sample.pdf, "the bytes that were sent", seen: answer.description)
      }
      let other = path.replacing(/[^\/]+_/, with: "other_", maxReplacements: 1)
      try await person.call(.GET, other).isRefused(.notFound)
    },
  ]

  static let all: [Rule] = [
    Rule("files.head", .downloads, "HEAD of a file has the headers of GET and no body.") { trial in
      let (person, path) = try await file(trial)
      let (head, get) = (try await person.call(.HEAD, path), try await person.call(.GET, path))
      try expectEqual("the status", head.status, 200)
      try expectEqual("bytes of the body", head.body.count, 0)
      for name in ["Content-Length", "Content-Type", "ETag", "Accept-Ranges", "Cache-Control"] {
        try expectEqual(name, try head.header(name), try get.header(name))
      }
    },
    Rule(
      "files.etag-always", .downloads,
      "An ETag comes with the whole file, a range, an answer 304, and HEAD."
    ) { trial in
      let (person, path) = try await file(trial)
      let tag = try await person.call(.GET, path).header("ETag")
      for (method, headers) in [
        (.GET, [("Range", "bytes=0-3")]), (.GET, [("If-None-Match", tag)]), (.HEAD, []),
        (.HEAD, [("If-None-Match", tag)]),
      ] as [(HTTPMethod, [(String, String)])] {
        let answer = try await person.call(method, path, headers: headers)
        try expectEqual("the ETag of \(method) with \(headers.first?.0 ?? "no header")", try answer.header("ETag"), tag)
      }
    },
    Rule("files.if-range", .downloads, "If-Range with another ETag, or a date, answers the whole file.") { trial in
      let (person, path) = try await file(trial)
      let tag = try await person.call(.GET, path).header("ETag")
      for (condition, status) in [(tag, 206), ("\"another\"", 200), ("Sat, 01 Jan 2022 00:00:00 GMT", 200)] {
        let answer = try await person.call(.GET, path, headers: [("Range", "bytes=0-3"), ("If-Range", condition)])
        try expectEqual("the status with If-Range: \(condition)", answer.status, status)
      }
    },
    Rule("files.bytes", .downloads, "A downloaded file has the bytes of the upload.") { trial in
      let answer = try await download(trial)
      try expectEqual("the status", answer.status, 200)
      try expect(answer.body == Sample.png, "the bytes that were sent", seen: "\(answer.body.count) bytes")
    },
    kind("png", Sample.png, "image/png"), kind("jpeg", Sample.jpeg, "image/jpeg"), kind("gif", Sample.gif, "image/gif"),
    kind("webp", Sample.webp, "image/webp"), kind("heic", Sample.heic, "image/heic"),
    kind("pdf", Sample.pdf, "application/pdf", isAttachment: true),
    kind("zip", Sample.zip, "application/zip", isAttachment: true),
    Rule("files.headers", .downloads, "Files carry nosniff, a long private cache and Accept-Ranges.") { trial in
      let answer = try await download(trial)
      try expectEqual("X-Content-Type-Options", try answer.header("X-Content-Type-Options"), "nosniff")
      let cache = Set(
        try answer.header("Cache-Control").replacing(" ", with: "").split(separator: ",").map(String.init))
      try expectEqual("Cache-Control", cache.sorted(), ["immutable", "max-age=31536000", "private"])
      try expectEqual("Accept-Ranges", try answer.header("Accept-Ranges"), "bytes")
    },
    Rule("files.etag", .downloads, "Files carry a strong ETag, and If-None-Match with it is 304 without a body.") {
      trial in
      let (person, path) = try await file(trial)
      let tag = try await person.call(.GET, path).header("ETag")
      try expect(tag.hasPrefix("\"") && tag.hasSuffix("\"") && tag.count > 2, "a strong ETag", seen: tag)
      let answer = try await person.call(.GET, path, headers: [("If-None-Match", tag)])
      try expectEqual("the status", answer.status, 304)
      try expectEqual("bytes of the body", answer.body.count, 0)
    },
    Rule("files.etag-of-another", .downloads, "Another ETag in If-None-Match answers the file.") { trial in
      let answer = try await download(trial, [("If-None-Match", "\"another\"")])
      try expectEqual("the status", answer.status, 200)
    },
    Rule("files.range", .downloads, "A range is answered 206 with those bytes and Content-Range.") { trial in
      let answer = try await download(trial, [("Range", "bytes=4-9")])
      try expectEqual("the status", answer.status, 206)
      try expect(answer.body == Array(Sample.png[4...9]), "bytes 4 to 9", seen: "\(answer.body.count) bytes")
      try expectEqual("Content-Range", try answer.header("Content-Range"), "bytes 4-9/\(Sample.png.count)")
    },
    Rule("files.range-ends", .downloads, "Ranges may be open or count from the end.") { trial in
      let (person, path) = try await file(trial)
      let count = Sample.png.count
      for (range, expected) in [("bytes=\(count - 3)-", Sample.png.suffix(3)), ("bytes=-5", Sample.png.suffix(5))] {
        let answer = try await person.call(.GET, path, headers: [("Range", range)])
        try expectEqual("the status for \(range)", answer.status, 206)
        try expect(answer.body == Array(expected), "the part \(range)", seen: "\(answer.body.count) bytes")
      }
    },
    Rule("files.large", .sizeLimits, "Five files of 7 MiB each in one request are taken.") { trial in
      let (person, room) = try await trial.personInChannel()
      let bytes = Sample.png + [UInt8](repeating: 7, count: 7 << 20)
      let parts = (0..<5).map { RequestBody.Part.file("file\($0)", bytes) }
      let chat = try await person.call(.POST, room.chats, .multipart(parts)).json()
      let count = try chat.list("files").count
      try expectEqual("the number of files", count, 5, cause: count == 0 ? .partNames : nil)
    },
    .refusal(.badRequest, "files.too-large", .sizeLimits, "A file of more than 10 MiB is E11.") {
      let (person, room) = try await $0.personInChannel()
      let bytes = Sample.png + [UInt8](repeating: 7, count: 10 << 20)
      return try await person.call(.POST, room.chats, .multipart([.file("files", bytes)]))
    },
  ]
}
