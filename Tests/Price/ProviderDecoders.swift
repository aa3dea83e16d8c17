import JWTKit

@testable import MadangServer

extension Decoder {
  /// What other people's servers answer, and the tokens they sign.
  static func ofProviders() async throws -> [Decoder] {
    [
      Decoder("answers", corpus: "answers", Limits(work: 60_000, workPerByte: 400, memoryPerByte: 400)) { input in
        let answer = ProviderCalls.Answer(status: 200, body: input.bytes)
        _ = (try? answer.decode(PortOne.Envelope<PortOne.Record>.self))?.response?.payment
        _ = (try? answer.decode(PortOne.Envelope<PortOne.Token>.self))?.response?.lifetime
        _ = (try? answer.decode(KakaoTokens.Profile.self))?.social
        _ = try? answer.decode(KakaoTokens.TokenInfo.self)
        _ = (try? answer.decode(FirebaseMessaging.Token.self))?.expiring
      },
      Decoder(
        "apple", corpus: "apple", Limits(work: 60_000, workPerByte: 100, memory: 64 << 10, memoryPerByte: 100),
        waiting: { input in
          let text = String(decoding: input.bytes, as: UTF8.self)
          let keys = JWTKeyCollection()
          _ = try? await keys.add(jwksJSON: text)
          await keys.add(hmac: "price", digestAlgorithm: .sha256)
          _ = try? await keys.verify(text, as: AppleTokens.Identity.self)
        }),
    ]
  }
}
