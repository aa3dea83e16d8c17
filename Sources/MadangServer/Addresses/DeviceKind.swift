/// The kind of device that a client claims to run on. It may be forged.
enum DeviceKind: String, CaseIterable, Sendable {
  case iPad = "an iPad"
  case iPhone = "an iPhone"
  /// Names that iOS libraries send, mainly Alamofire.
  case iOS = "an iPhone or iPad"
  case android = "an Android device"
  case mac = "a Mac"
  case windows = "a Windows computer"
  case linux = "a Linux computer"
  /// URLSession alone does not reveal it.
  case apple = "an Apple device"
  case unknown = "not known"

  private static let maxSize = 500

  /// - Parameter userAgent: The header `User-Agent`; nil if absent.
  init(userAgent: String?) {
    let text = (userAgent ?? "").prefix(Self.maxSize).lowercased()
    self = Self.allCases.first { kind in kind.signs.contains { text.contains($0) } } ?? .unknown
  }

  private var signs: [String] {
    switch self {
    case .iPad: ["ipad"]
    case .iPhone: ["iphone"]
    case .iOS: ["; ios ", "ios/"]
    case .android: ["android", "okhttp", "dalvik"]
    case .mac: ["macintosh", "macos"]
    case .windows: ["windows"]
    case .linux: ["linux", "x11"]
    case .apple: ["cfnetwork", "darwin"]
    case .unknown: []
    }
  }
}
