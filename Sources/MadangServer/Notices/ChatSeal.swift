import Crypto
import Foundation
import MadangCore
import MadangOperations

/// A chat in a notice to other servers, encrypted because other clients of the database can listen there.
struct SealedChat: Hashable {
  let room: Int64
  let seq: Int64
  /// Base64.
  let text: String
}

/// Encrypts and authenticates chats with the servers' secret.
struct ChatSeal: Sendable {
  private let key: SymmetricKey

  init(secret: [UInt8]) { key = SymmetricKey(data: Secrets.key(for: "chats in notices", from: secret)) }

  /// Nil if the chat cannot be encoded.
  func close(_ chat: Chat) -> SealedChat? {
    guard let plain = try? JSONEncoder().encode(chat), let box = try? AES.GCM.seal(plain, using: key).combined else {
      return nil
    }
    return SealedChat(room: chat.room.id.number, seq: chat.seq, text: box.base64EncodedString())
  }

  /// Nil for a chat with another secret, at another place, or of an unknown version.
  func open(_ sealed: SealedChat) -> Chat? {
    guard let bytes = Data(base64Encoded: sealed.text), let box = try? AES.GCM.SealedBox(combined: bytes),
      let plain = try? AES.GCM.open(box, using: key), let chat = try? JSONDecoder().decode(Chat.self, from: plain),
      chat.room.id.number == sealed.room, chat.seq == sealed.seq
    else { return nil }
    return chat
  }
}
