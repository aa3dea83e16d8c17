import Fuzzing
import NIOCore
import Testing

@testable import MadangProviders

@Suite("Replies of mail servers", .timeLimit(.minutes(60)))
struct SMTPReplyTests {
  @Test("replies of a mail server parse the same wherever they are cut")
  func replies() throws {
    try Fuzzer("smtp").run { number, input, generator in
      let whole = Self.replies([input])
      var pieces: [[UInt8]] = []
      var rest = input[...]
      while !rest.isEmpty {
        pieces.append(Array(rest.prefix(.random(in: 1...8, using: &generator))))
        rest = rest.dropFirst(pieces[pieces.count - 1].count)
      }
      #expect(Self.replies(pieces) == whole, "\(number)")
    }
  }

  private static func replies(_ pieces: [[UInt8]]) -> [SMTPReply] {
    var parser = SMTPReplyParser()
    var replies: [SMTPReply] = []
    do {
      for piece in pieces {
        try parser.add(ByteBuffer(bytes: piece))
        while let reply = try parser.next() { replies.append(reply) }
      }
    } catch {}
    return replies
  }
}
