import Foundation
import MadangServer

extension Setting {
  static let files: [Setting] = [
    text(
      "files.home", "bucket for files, s3://bucket or s3://bucket/prefix; empty for the data directory",
      \.settings.filesHome),
    text(
      "s3.endpoint", "https://HOST[:PORT][/PATH] of a server that speaks S3; empty for Amazon's", \.settings.s3.endpoint
    ),
    text("s3.region", "the bucket's region, like eu-central-1", \.settings.s3.region, or: "AWS_REGION"),
    secret("s3.access.key.id", "who puts files into the bucket", \.settings.s3.accessKeyID, or: "AWS_ACCESS_KEY_ID"),
    secret(
      "s3.secret.access.key", "what their calls are signed with", \.settings.s3.secretAccessKey,
      or: "AWS_SECRET_ACCESS_KEY"),
    secret(
      "s3.session.token", "of temporary credentials; empty for others", \.settings.s3.sessionToken,
      or: "AWS_SESSION_TOKEN"),
    integer("files.size", "bytes of one file", \.settings.maxFileSize, 1...Int.max),
    integer(
      "files.account", "bytes of all files that one account may have, pictures of places it made included; 0 for any",
      \.settings.accountFileQuota
    ).live,
    Setting(
      key: "files.types",
      help:
        "what chats take besides images, by extension: \(ServerSettings.knownDocumentTypes.joined(separator: ",")); "
        + "none for images only",
      read: { text, loaded throws(Invalid) in
        let known = ServerSettings.knownDocumentTypes
        let types = text == "none" ? [] : text.split(separator: ",").map { $0.trimmingCharacters(in: .whitespaces) }
        if let unknown = types.first(where: { !known.contains($0) }) {
          throw Invalid(
            cure: "'\(unknown)' is none of the types; write some of \(known.joined(separator: ",")), or none")
        }
        loaded.settings.documentTypes = Set(types)
      },
      show: { loaded in
        let taken = loaded.settings.documentTypes
        return taken.isEmpty
          ? "none" : ServerSettings.knownDocumentTypes.filter(taken.contains).joined(separator: ",")
      }
    ).live,
    integer("files.chat", "files of one chat", \.settings.maxFilesPerChat, 0...64).live,
    integer(
      "files.trash.days", "days a file that no row names stays in the trash", \.settings.trashDays, 1...36_500
    ).live,
    milliseconds("pictures.replaced", "seconds a replaced picture is kept", \.settings.replacedPictureLifetime).live,
  ]
}
