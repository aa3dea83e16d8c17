import Foundation

public struct FileSettings: Sendable {
  public var maxSize = setting("files.size", 10 * 1024 * 1024, .integer(1...), "bytes of one file")
  public var perAccount = setting(
    "files.account", 0, .integer(),
    "bytes of all files of one account, including pictures of its workspaces and channels; 0 for no limit", .live)
  public var types = setting(
    "files.types", MediaType.documents, .documents,
    "file types that chats accept besides images: \(MediaType.documentNames.joined(separator: ",")); none for images only",
    .live)
  public var perChat = setting("files.chat", 5, .integer(0...64), "files in one chat", .live)
  public var trashDays = setting(
    "files.trash.days", 30, .integer(1...36_500), "days a file without a database row stays in the trash", .live)
  /// Clients keep using the path of a replaced picture for a while.
  public var replacedPictureLifetime: Int64 = setting(
    "pictures.replaced", 24 * 3_600_000, .seconds, "seconds a replaced picture is kept", .live)

  public init() {}
}

extension MediaType {
  /// The extensions of all types that chats can accept besides images.
  static let documentNames = allCases.filter { !$0.isImage }.map(\.fileExtension)
}

extension SettingForm where Value == Set<MediaType> {
  fileprivate static var documents: Self {
    Self(
      parse: { text throws(InvalidSetting) in
        let known = MediaType.documentNames
        let names = text == "none" ? [] : text.split(separator: ",").map { $0.trimmingCharacters(in: .whitespaces) }
        if let unknown = names.first(where: { !known.contains($0) }) {
          throw .text(
            cure: "'\(unknown)' is not one of the types; write some of \(known.joined(separator: ",")), or none")
        }
        return Set(names.compactMap { MediaType(fileExtension: $0) })
      },
      write: { types in
        types.isEmpty
          ? "none" : MediaType.allCases.filter(types.contains).map(\.fileExtension).joined(separator: ",")
      })
  }
}
