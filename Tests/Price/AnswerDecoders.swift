import NIOHTTP1
import SocketIOProtocol

@testable import MadangProviders
@testable import MadangServer
@testable import SocketIOPostgres
@testable import SocketIOServer

extension Decoder {
  /// What servers of others answer that is no success, replies to mails, and what servers of a cluster send through PostgreSQL.
  static let ofAnswers: [Decoder] = [
    // 100 lines of 2,048 bytes may wait.
    Decoder(
      "smtp-replies", corpus: "smtp",
      Limits(workPerByte: 60, workPerPiece: 120, memory: 64 << 10, memoryPerByte: 40)
    ) { input in
      var parser = SMTPReplyParser()
      for piece in input.pieces {
        try parser.add(piece)
        while let reply = try parser.next() { _ = (reply.enhanced, reply.isAboutSender) }
      }
    },
    Decoder("push-refusals", corpus: "refusals", Limits(work: 60_000, workPerByte: 200, memoryPerByte: 200)) { input in
      let answer = ProviderCalls.Answer(status: 400, body: input.bytes)
      if let refusal = try? answer.decode(ApplePushService.Refusal.self) {
        _ = (refusal.reason == "Unregistered", refusal.timestamp)
      }
      if let refusal = try? answer.decode(FirebaseMessaging.Refusal.self) { _ = refusal.concernsToken }
    },
    Decoder("s3-errors", corpus: "s3-errors", Limits(workPerByte: 100, memoryPerByte: 120)) { input in
      let element = try? ElementScanner.read(input.bytes)
      let reason = String(decoding: input.bytes, as: UTF8.self)
      for status in [301, 403, 404, 503] {
        let error = S3Error(refusing: .PUT, status: status, element, reason: reason)
        _ = (error.description, error.cure, error.isMissing, error.isPassing)
      }
    },
    Decoder("postgres-payloads", corpus: "postgres-payloads", Limits(workPerByte: 200, memoryPerByte: 160)) { input in
      guard case .message(let message) = NotificationPayload(input.bytes) else { return }
      _ = try ClusterMessage.decode(message)
    },
  ]
}
