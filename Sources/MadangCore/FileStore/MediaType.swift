/// The file types that the server accepts (wire contract, File types). The raw value is the `Content-Type`.
public enum MediaType: String, CaseIterable, Sendable {
  case jpeg = "image/jpeg"
  case png = "image/png"
  case gif = "image/gif"
  case webp = "image/webp"
  case heic = "image/heic"
  case pdf = "application/pdf"
  case zip = "application/zip"
  case doc = "application/msword"
  case docx = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"
  case xls = "application/vnd.ms-excel"
  case xlsx = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
  case ppt = "application/vnd.ms-powerpoint"
  case pptx = "application/vnd.openxmlformats-officedocument.presentationml.presentation"
  case hwp = "application/vnd.hancom.hwp"
  case hwpx = "application/vnd.hancom.hwpx"
  case mp3 = "audio/mpeg"
  case m4a = "audio/mp4"
  case wav = "audio/wav"
  case mp4 = "video/mp4"
  case mov = "video/quicktime"
  case avi = "video/x-msvideo"
  case txt = "text/plain"
  case csv = "text/csv"
  case md = "text/markdown"
  // Accepted only if the setting `files.types` names them.
  case odt = "application/vnd.oasis.opendocument.text"
  case ods = "application/vnd.oasis.opendocument.spreadsheet"
  case odp = "application/vnd.oasis.opendocument.presentation"
  case epub = "application/epub+zip"
  case rtf = "application/rtf"
  case json = "application/json"
  case ogg = "audio/ogg"
  case flac = "audio/flac"
  case webm = "video/webm"
  case threeGP = "video/3gpp"

  /// Images are accepted everywhere. All other types are accepted in chats only, and served as attachments.
  package var isImage: Bool {
    switch self {
    case .jpeg, .png, .gif, .webp, .heic: true
    default: false
    }
  }

  package var fileExtension: String { self == .threeGP ? "3gp" : String(describing: self) }

  /// The type with a lower-case extension; nil if there is none.
  package init?(fileExtension: some StringProtocol) {
    guard let type = Self.byExtension[String(fileExtension)] else { return nil }
    self = type
  }

  private static let byExtension = Dictionary(uniqueKeysWithValues: allCases.map { ($0.fileExtension, $0) })

  /// The types that chats accept besides images, unless the operator configures others.
  package static let documents: Set<MediaType> = [
    .pdf, .zip, .doc, .docx, .xls, .xlsx, .ppt, .pptx, .hwp, .hwpx, .mp3, .m4a, .wav, .mp4, .mov, .avi, .txt, .csv, .md,
  ]
}
