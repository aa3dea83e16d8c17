import Fuzzing
import HTTPTypes
import MadangCore
import SocketIOProtocol
import Testing

@testable import MadangServer
@testable import SocketIOServer

/// What `Scripts/price` examines for its cost, under many small changes: the same decoders give the same answers, and none traps.
@Suite("Fuzzing of headers", .timeLimit(.minutes(60)))
struct DecoderFuzzTests {
  private static func fields(_ input: [UInt8]) -> HTTPFields {
    var fields: HTTPFields = [:]
    for line in input.split(separator: 0x0a) {
      guard let colon = line.firstIndex(of: UInt8(ascii: ":")),
        let name = HTTPField.Name(String(decoding: line[..<colon], as: UTF8.self))
      else { continue }
      fields.append(HTTPField(name: name, value: String(decoding: line[(colon + 1)...], as: UTF8.self)))
    }
    return fields
  }

  @Test("random forwarding headers never make an address this machine's own")
  func forwarded() throws {
    try Fuzzer("forwarded").run { number, input, _ in
      let headers = Self.fields(input)
      guard ClientAddress.isForwarded(headers) else { return }
      for peer in ["10.0.0.1", "127.0.0.1", "203.0.113.9"] {
        let client = try ClientAddressTests.client(peer, headers.map { ($0.name.rawName, $0.value) })
        #expect(!client.isLocal, "\(number)")
      }
    }
  }

  @Test("every parsed address has one written form, which parses to the same address")
  func addresses() throws {
    try Fuzzer("addresses").run { number, input, _ in
      let text = String(decoding: input, as: UTF8.self)
      if let address = IPAddress(text) { #expect(IPAddress(address.text) == address, "\(number)") }
      if let network = IPNetwork(text) { #expect(IPNetwork(network.text) == network, "\(number)") }
    }
  }

  @Test("no changed cookie value names another session")
  func cookies() throws {
    let cookie = SocketCookie(secret: Array("price".utf8), path: "/", settings: Settings())
    let known = [SessionID(number: 7, begun: 1_700_000_000_000), SessionID(number: .max, begun: 0)]
    var found = 0
    try Fuzzer("cookies").run { number, input, _ in
      guard let session = cookie.session(in: Self.fields(input)) else { return }
      found += 1
      #expect(known.contains(session), "\(number)")
    }
    #expect(found > 0)
  }

  @Test("any Range is answered with a part of the file or all of it")
  func ranges() throws {
    try Fuzzer("ranges").run { number, input, _ in
      for size in [0, 1, 1000, Int.max] {
        guard let range = byteRange(String(decoding: input, as: UTF8.self), size: size) else { continue }
        #expect(range.lowerBound >= 0 && range.upperBound < size, "\(number)")
      }
    }
  }
}
