// Some builds take the fields of `stat` from CoreFoundation, others from Glibc, which Foundation exports.
import CoreFoundation
import Foundation
import MadangCore

/// A secret in a file of its own, as container systems and systemd provide it: the setting `mail.password.file`, or
/// `MADANG_MAIL_PASSWORD_FILE`, names the file of `mail.password`.
enum SecretFile {
  /// The largest file in bytes.
  private static let limit = 65_536

  /// The key of the setting that names the file of a secret.
  static func key(_ secret: String) -> String { "\(secret).file" }

  /// Reads the file without its last line break. Throws ``SetupError``.
  /// - Parameter source: Where the path was written, in words.
  static func read(_ path: String, of secret: String, from source: String) throws -> WrittenSetting {
    let start = "\(key(secret)) from \(source): \(path)"
    func unreadable(_ words: String) -> SetupError {
      SetupError("\(start) cannot be read (\(words)); name a file that the server's user may read")
    }
    // A pipe without a writer would be waited for; every reload reads the file again.
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else { throw unreadable(String(cString: strerror(errno))) }
    let file = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { throw unreadable(String(cString: strerror(errno))) }
    guard status.st_mode & S_IFMT == S_IFREG else { throw unreadable("it is not a regular file") }
    let bytes: Data
    do { bytes = try file.read(upToCount: limit + 1) ?? Data() } catch {
      throw unreadable(FileProblem.words(of: error))
    }
    guard bytes.count <= limit else {
      throw SetupError("\(start) has more than \(limit) bytes; name the file that has only the secret")
    }
    guard var text = String(validating: bytes, as: UTF8.self) else {
      throw SetupError("\(start) is not text in UTF-8; write the secret into it, and nothing else")
    }
    if let last = text.last, last == "\n" || last == "\r\n" { text.removeLast() }
    guard !text.isEmpty else {
      throw SetupError("\(start) is empty; write the secret into it, or leave out \(key(secret))")
    }
    return WrittenSetting(text, from: path)
  }
}

/// One of the places where operators write settings.
struct SettingSource {
  /// In words.
  let name: String
  let text: (_ key: String) -> String?

  /// The setting as it is written here, and the file of a secret that has one. Throws ``SetupError``.
  func find(_ setting: Setting) throws -> (written: WrittenSetting, file: String?)? {
    let own = text(setting.key)
    let path = setting.isSecret ? text(SecretFile.key(setting.key)).flatMap { $0.isEmpty ? nil : $0 } : nil
    guard let path else { return own.map { (WrittenSetting($0, from: name), nil) } }
    guard own?.isEmpty ?? true else {
      throw SetupError(
        "\(setting.key) from \(name): \(SecretFile.key(setting.key)) is there, too; write one of the two")
    }
    return (try SecretFile.read(path, of: setting.key, from: name), path)
  }
}
