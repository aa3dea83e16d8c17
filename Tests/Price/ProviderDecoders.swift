import JWTKit
import SocketIOProtocol

@testable import MadangProviders
@testable import MadangServer

extension Decoder {
  /// What other people's servers answer, the tokens they sign, and what servers of one database tell each other.
  static func ofProviders() async throws -> [Decoder] {
    [
      Decoder("answers", corpus: "answers", Limits(work: 60_000, workPerByte: 400, memoryPerByte: 400)) { input in
        let answer = ProviderCalls.Answer(status: 200, body: input.bytes)
        _ = (try? answer.decode(PortOnePayments.Envelope<PortOnePayments.Record>.self))?.response?.payment(shops: [])
        _ = (try? answer.decode(PortOnePayments.Envelope<PortOnePayments.Token>.self))?.response?.lifetime
        _ = (try? ForeignJSON.decode(PortOneV2Payments.Record.self, from: input.bytes))?.payment(takesTests: false)
        _ = (try? answer.decode(KakaoTokens.Profile.self))?.social(askedAt: 0)
        _ = try? answer.decode(KakaoTokens.TokenInfo.self)
        _ = (try? answer.decode(FirebaseMessaging.Token.self))?.expiring
      },
      Decoder(
        "apple", corpus: "apple", Limits(work: 60_000, workPerByte: 100, memory: 64 << 10, memoryPerByte: 100),
        waiting: { input in
          let answer = ProviderCalls.Answer(status: 200, body: input.bytes)
          let keys = (try? await AppleTokens.keys(of: answer)) ?? JWTKeyCollection()
          await keys.add(hmac: "price", digestAlgorithm: .sha256)
          let token = String(decoding: input.bytes, as: UTF8.self)
          _ = await AppleTokens.claims(of: token, as: AppleTokens.Identity.self, keys: keys)
          _ = await AppleTokens.claims(of: token, as: AppleNotice.self, keys: keys)?.notice
        }),
      Decoder("elements", corpus: "elements", Limits(workPerByte: 300, memoryPerByte: 200)) { input in
        _ = try ElementScanner.read(input.bytes)
      },
      Decoder("notices", corpus: "notices", Limits(workPerByte: 300, memoryPerByte: 200)) { input in
        _ = CommitNotices.notice(String(decoding: input.bytes, as: UTF8.self))
      },
    ]
  }
}
