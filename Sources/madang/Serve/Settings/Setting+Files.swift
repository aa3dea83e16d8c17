import MadangServer

extension Setting {
  static let files: [Setting] = [
    text(
      "files.home", "bucket for files, s3://bucket or s3://bucket/prefix; empty for the data directory",
      \.settings.filesHome),
    text("s3.endpoint", "https://HOST[:PORT] of a server that speaks S3; empty for Amazon's", \.settings.s3.endpoint),
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
      "files.account", "bytes of all files that one account may have in chats; 0 for any",
      \.settings.accountFileQuota
    ).live,
    integer("files.chat", "files of one chat", \.settings.maxFilesPerChat, 0...64).live,
    integer(
      "files.trash.days", "days a file that no row names stays in the trash", \.settings.trashDays, 1...36_500
    ).live,
    milliseconds("pictures.replaced", "seconds a replaced picture is kept", \.settings.replacedPictureLifetime).live,
  ]
}
