import Crypto
import Foundation

/// How secrets of the installation are stored in the database.
enum StoredSecret {
  private enum Form: String { case plain, sealed }

  /// As it is stored.
  /// - Parameter key: Seals the secret. Empty if the database has the installation's secret, from which the key would follow: a seal
  ///   whose key lies beside it hides nothing, so the secret is then stored as it is.
  static func text(of secret: [UInt8], key: [UInt8]) throws -> String {
    guard !key.isEmpty else { return "\(Form.plain) \(Data(secret).base64EncodedString())" }
    // The nonce is random and has 12 bytes, so there is a combined form.
    let sealed = try AES.GCM.seal(secret, using: SymmetricKey(data: key)).combined ?? Data()
    return "\(Form.sealed) \(sealed.base64EncodedString())"
  }

  /// Nil if the text is damaged or was sealed with another key.
  static func secret(of text: String, key: [UInt8]) -> [UInt8]? {
    let parts = text.split(separator: " ")
    guard parts.count == 2, let form = Form(rawValue: String(parts[0])),
      let data = Data(base64Encoded: String(parts[1]))
    else { return nil }
    switch form {
    case .plain: return Array(data)
    case .sealed:
      guard !key.isEmpty, let box = try? AES.GCM.SealedBox(combined: data),
        let opened = try? AES.GCM.open(box, using: SymmetricKey(data: key))
      else { return nil }
      return Array(opened)
    }
  }

  /// Whether a stored secret should be sealed, because the installation's secret has left the database since.
  static func isUnsealed(_ text: String, key: [UInt8]) -> Bool {
    !key.isEmpty && text.hasPrefix("\(Form.plain) ")
  }
}
