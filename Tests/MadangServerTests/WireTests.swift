import MadangAPI
import MadangCore
import SocketIOSupport
import Testing

@testable import MadangServer

private struct Gaps: Encodable {
  let some: Double
  var none: Double?
  var count: Int?
  var flag: Bool?
}

@Suite("Wire formats", .timeLimit(.minutes(5)))
struct WireTests {
  struct Sample: Codable {
    var zebra: String
    var nothing: String?
    var apple: Int
    var flag: Bool
    var list: [Inner]
    var empty: [String]
    var inner: Inner?
  }

  struct Inner: Codable {
    var id: String?
  }

  @Test("JSON keeps the declared order, writes nulls and escapes")
  func encoder() throws {
    let sample = Sample(
      zebra: "a\"\\\n\r\t\u{1}\u{1F}/각😀\u{2028}", nothing: nil, apple: -5, flag: true,
      list: [Inner(id: nil), Inner(id: "x")], empty: [], inner: nil)
    let json = String(decoding: try WireEncoder.encode(sample), as: UTF8.self)
    #expect(
      json == #"{"zebra":"a\"\\\n\r\t\u0001\u001f/각😀"# + "\u{2028}"
        + #"","nothing":null,"apple":-5,"flag":true,"list":[{"id":null},{"id":"x"}],"empty":[],"inner":null}"#)
    #expect(String(decoding: try WireEncoder.encode(Empty()), as: UTF8.self) == "{}")
    #expect(String(decoding: try WireEncoder.encode([Empty(), Empty()]), as: UTF8.self) == "[{},{}]")
    #expect(String(decoding: try WireEncoder.encode([Empty]()), as: UTF8.self) == "[]")
    let numbers: [Double?] = [0.0024, nil, 2, 1e-7, .infinity]
    #expect(String(decoding: try WireEncoder.encode(numbers), as: UTF8.self) == "[0.0024,null,2.0,1e-07,null]")
    #expect(
      String(decoding: try WireEncoder.encode(Gaps(some: 0.5)), as: UTF8.self)
        == #"{"some":0.5,"none":null,"count":null,"flag":null}"#)
  }

  @Test("JSON escapes exactly the bytes that need it")
  func escapes() throws {
    for byte in UInt8(0)...0x7F {
      let character = String(UnicodeScalar(byte))
      let escaped =
        switch byte {
        case 0x22, 0x5C: "\\" + character
        case 0x09: "\\t"
        case 0x0A: "\\n"
        case 0x0D: "\\r"
        case ..<0x10: "\\u000" + String(byte, radix: 16)
        case ..<0x20: "\\u00" + String(byte, radix: 16)
        default: character
        }
      for before in 0...17 {
        for after in [0, 1, 6, 7, 8, 17] {
          let (start, end) = (String(repeating: "!", count: before), String(repeating: "각", count: after))
          let json = String(decoding: try WireEncoder.encode(Inner(id: start + character + end)), as: UTF8.self)
          #expect(json == #"{"id":""# + start + escaped + end + #""}"#, "byte \(byte) behind \(before)")
        }
      }
    }
  }

  /// An object that writes itself, as any other one is written.
  private struct Plain<Object: Encodable>: Encodable {
    let object: Object
    func encode(to encoder: any Encoder) throws { try object.encode(to: encoder) }
  }

  @Test(
    "an object's own writer gives the same bytes as its encoder", arguments: [nil, "/static/a.png"] as [String?])
  func writers(picture: String?) throws {
    func check(_ object: some WireObject) throws {
      let json = String(decoding: try WireEncoder.encode(Plain(object: object)), as: UTF8.self)
      #expect(json == String(decoding: WireEncoder.encode(object), as: UTF8.self))
      #expect("\(json),\(json)" == String(decoding: WireEncoder.elements([object, object]), as: UTF8.self))
    }
    let (id, text, date) = ("u-1", "a\"\\\n\u{1}/각😀{", "2026-01-05T09:00:00.000Z")
    let member = Edition2024_10.Member(userID: id, email: text, nickname: "", profileImage: picture)
    let user = Edition2024_01.User(userID: -1, email: text, nickname: "", profileImage: picture)
    try check(member)
    try check(user)
    for files in [[], [text], [text, "", text]] {
      try check(
        Edition2024_10.ChannelChat(
          channelID: id, channelName: text, chatID: "c", content: text, createdAt: date, files: files, user: member))
      try check(
        Edition2024_10.DMChat(dmID: id, roomID: "r", content: text, createdAt: date, files: files, user: member))
      try check(
        Edition2024_01.ChannelChat(
          channelID: .max, channelName: text, chatID: .min, content: text, createdAt: date, files: files, user: user))
      try check(Edition2024_01.DMChat(dmID: 0, roomID: 7, content: text, createdAt: date, files: files, user: user))
    }
    try check(Edition2024_10.ChannelUnread(channelID: id, name: text, count: .max, roomID: id))
    try check(Edition2024_10.DMUnread(roomID: id, count: 0))
    try check(Edition2024_01.ChannelUnread(channelID: 1, name: text, count: .max, roomID: 2))
    try check(Edition2024_01.DMUnread(roomID: 3, count: 0))
    try check(
      Edition2024_10.Me(
        userID: id, email: text, nickname: text, profileImage: picture, phone: text, provider: picture, sesacCoin: -4,
        createdAt: date))
    try check(
      Edition2024_01.MyProfile(
        userID: 5, email: text, nickname: text, profileImage: picture, phone: text, vendor: picture, sesacCoin: -4,
        createdAt: date))
  }

  @Test("dates have 24 characters, and as cursors they are read back unchanged")
  func dates() throws {
    #expect(WireDate.string(0) == "1970-01-01T00:00:00.000Z")
    #expect(WireDate.string(1_734_073_530_874) == "2024-12-13T07:05:30.874Z")
    #expect(WireDate.string(1_705_287_600_123, offset: 9 * 3_600_000) == "2024-01-15T12:00:00.123Z")
    let (first, last) = ("0000-01-01T00:00:00.000Z", "9999-12-31T23:59:59.999Z")
    #expect(WireDate.string(-62_167_219_200_000) == first && WireDate.string(253_402_300_799_999) == last)
    for offset in [-12 * 3_600_000, 0, 9 * 3_600_000] as [Int64] {
      for moment in [.min, -62_167_219_200_001 - 24 * 3_600_000] as [Int64] {
        #expect(WireDate.string(moment, offset: offset) == first)
      }
      for moment in [.max, 253_402_300_800_000 + 24 * 3_600_000] as [Int64] {
        #expect(WireDate.string(moment, offset: offset) == last)
      }
    }
    for moment in stride(from: Int64(-62_135_596_800_000), through: 253_402_300_799_999, by: 77_777_777_777_777 / 99) {
      let text = WireDate.string(moment)
      #expect(text.count == 24)
      #expect(try Cursor.label(text, zoneless: 0) == moment)
    }
  }

  @Test(
    "every form of the contract's cursor table is read, in both editions",
    arguments: [
      ("2024-12-13T07:05:30.874Z", 1_734_073_530_874, 1_734_073_530_874),
      ("2024-12-13t07:05:30z", 1_734_073_530_000, 1_734_073_530_000),
      ("2024-12-13T16:05:30.874+09:00", 1_734_073_530_874, 1_734_073_530_874),
      ("2024-12-13T16:05:30.874 09:00", 1_734_073_530_874, 1_734_073_530_874),
      ("2024-12-13T16:05:30.874+0900", 1_734_073_530_874, 1_734_073_530_874),
      ("2024-12-13T16:05:30.874+09", 1_734_073_530_874, 1_734_073_530_874),
      ("2024-12-13T02:05:30.874-05:00", 1_734_073_530_874, 1_734_073_530_874),
      ("2024-12-13 16:05:30.874", 1_734_105_930_874, 1_734_073_530_874),
      ("2024-12-13+16:05:30", 1_734_105_930_000, 1_734_073_530_000),
      ("2024-12-13T07:05:30.1Z", 1_734_073_530_100, 1_734_073_530_100),
      ("2024-12-13T07:05:30.123456789Z", 1_734_073_530_123, 1_734_073_530_123),
    ] as [(String, Int64, Int64)])
  func cursors(_ text: String, _ utc: Int64, _ seoul: Int64) throws {
    #expect(try Cursor.label(text, zoneless: 0) == utc)
    #expect(try Cursor.label(text, zoneless: 9 * 3_600_000) == seoul)
  }

  @Test(
    "a cursor of any other form is unreadable",
    arguments: [
      "nil", "2024-12-13", "1734073530", "2024-12-13T07:05Z", "2024-13-13T07:05:30Z", "2024-02-30T00:00:00Z",
      "2024-12-13T24:00:00Z", "2024-12-13T07:05:60Z", "2024-12-13T07:05:30.Z", "2024-12-13T07:05:30.1234567890Z",
      "2024-12-13T07:05:30.874ZZ", "2024-12-13T07:05:30+9", "+024-12-13T07:05:30Z", "２024-12-13T07:05:30Z",
    ])
  func unreadable(_ text: String) {
    #expect(throws: Cursor.Unreadable.self) { try Cursor.label(text, zoneless: 0) }
  }

  @Test("an absent or blank value is no cursor", arguments: [nil, "", "  "] as [String?])
  func blank(_ text: String?) throws {
    #expect(try Cursor.label(text, zoneless: 0) == nil)
  }

  @Test("a multipart body reads the same at every chunk boundary")
  func multipart() throws {
    let body = Array(
      """
      preamble\r\n--b c\r\nContent-Disposition: form-data; name="name"\r\n\r\n한글\r\n--b c \r\n\
      content-disposition: form-data; filename="a\\"b;c.jpg"; name=files\r\nContent-Type: image/jpg\r\n\r\n\
      \r\n--b\r\n--b d\r\n\r\n--b c\r\nContent-Disposition: form-data; name=empty\r\n\r\n\r\n--b c--\r\nepilogue
      """.utf8)
    let expected: [MultipartParser.Event] = [
      .partBegins(name: "name", filename: nil), .bytes(Array("한글".utf8)), .partEnds,
      .partBegins(name: "files", filename: "a\"b;c.jpg"), .bytes(Array("\r\n--b\r\n--b d\r\n".utf8)), .partEnds,
      .partBegins(name: "empty", filename: nil), .partEnds,
    ]
    for size in 1...body.count {
      var parser = MultipartParser(boundary: "b c".utf8)
      var events: [MultipartParser.Event] = []
      for start in stride(from: 0, to: body.count, by: size) {
        events += try parser.receive(body[start..<min(start + size, body.count)])
      }
      #expect(parser.isFinished)
      #expect(joined(events) == expected, "chunks of \(size)")
    }
  }

  /// Neighbouring bytes as one event.
  private func joined(_ events: [MultipartParser.Event]) -> [MultipartParser.Event] {
    events.reduce(into: []) { all, event in
      if case .bytes(let more) = event, case .bytes(let before)? = all.last {
        all[all.count - 1] = .bytes(before + more)
      } else {
        all.append(event)
      }
    }
  }

  @Test("a multipart body that breaks a limit or its form is refused")
  func malformedMultipart() {
    let bodies = [
      "--b\r\nContent-Type: text/plain\r\n\r\nx\r\n--b--", "--bx\r\n--b!",
      "--b\r\n" + String(repeating: "x", count: 9000),
      String(repeating: "--b\r\nContent-Disposition: form-data; name=a\r\n\r\nx\r\n", count: 65) + "--b--",
    ]
    for body in bodies {
      var parser = MultipartParser(boundary: "b".utf8)
      #expect(throws: MultipartParser.Malformed.self) { try parser.receive(body.utf8) }
    }
  }

  @Test("percent-decoding keeps malformed escapes, and paths are split first")
  func targets() {
    let target = RequestTarget("//v1/a%2Fb//%ED%95%9C%zz%4/%%41?q=a+b%2B&q=2&bare&=x&e=#f")
    #expect(target.segments == ["v1", "a/b", "한%zz%4", "%A"])
    #expect(target["q"] == "a b+" && target["bare"] == "" && target["e"] == "" && target["none"] == nil)
    for text in ["", "/", "?", "#", "/?#"] {
      #expect(RequestTarget(text).segments.isEmpty && RequestTarget(text)[""] == nil, "\(text)")
    }
    #expect(RequestTarget("/a#b?c=d").segments == ["a"] && RequestTarget("/a?%=%&é=é")["é"] == "é")
    // To compare a letter with many marks takes the square of their number.
    let marks = String(repeating: "%CC%81%CC%A3", count: 1000)
    #expect(RequestTarget("/a\(marks)/%E1%84%80").segments == ["a" + marks, "\u{1100}"])
    #expect(RequestTarget("/%FF/각").segments == ["\u{FFFD}", "각"])
  }

  @Test("blanks around a token, and Bearer before it, are removed")
  func tokens() {
    let token = "eyJhbGciOiJIUzI1NiJ9.e30.c2ln"
    for text in ["\(token)", " \(token)", "\(token) ", "\u{3000}\(token)\u{a0}", "\(token)\u{3000}"] {
      #expect(rawToken(text) == token, "\(text)")
      #expect(rawToken("Bearer \(text)") == token, "\(text)")
    }
    for text in ["", " ", "\u{3000}"] { #expect(rawToken(text) == nil, "\(text)") }
    #expect(rawToken("토큰") == "토큰" && rawToken(" 토큰 ") == "토큰" && rawToken("Bearer ") == "Bearer")
  }

  @Test("the Date header shows the server's clock, to a second")
  func datesOfAnswers() {
    let clock = Clock({ 86_400_000 })
    let date = DateHeader(clock: clock)
    #expect(date.text == "Fri, 02 Jan 1970 00:00:00 GMT")
    clock.run(at: 0)
    clock.set(0)
    #expect(date.text == "Thu, 01 Jan 1970 00:00:00 GMT")
    clock.advance(milliseconds: 999)
    #expect(date.text == "Thu, 01 Jan 1970 00:00:00 GMT")
    clock.advance(milliseconds: 1)
    #expect(date.text == "Thu, 01 Jan 1970 00:00:01 GMT")
  }

  @Test("byte ranges are clamped, and an unsatisfiable one means the whole file")
  func ranges() {
    #expect(byteRange("bytes=0-9", size: 100) == 0...9)
    #expect(byteRange("bytes=90-", size: 100) == 90...99)
    #expect(byteRange("bytes=-5", size: 100) == 95...99)
    #expect(byteRange("bytes=-500", size: 100) == 0...99)
    #expect(byteRange("bytes=50-500", size: 100) == 50...99)
    for text in ["bytes=100-", "bytes=9-3", "bytes=-0", "bytes=0-1,5-6", "items=0-1", "bytes=a-b", "bytes=-", ""] {
      #expect(byteRange(text, size: 100) == nil, "\(text)")
    }
  }
}
