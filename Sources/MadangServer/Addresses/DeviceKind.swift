/// What kind of device a client says that it runs on. It may say anything.
enum DeviceKind: String, CaseIterable, Sendable {
  case iPad = "an iPad"
  case iPhone = "an iPhone"
  /// What the libraries of iOS say, Alamofire's above all.
  case iOS = "an iPhone or iPad"
  case android = "an Android device"
  case mac = "a Mac"
  case windows = "a Windows computer"
  case linux = "a Linux computer"
  /// URLSession alone does not say which.
  case apple = "an Apple device"
  case unknown = "not known"

  private static let maxSize = 500

  /// - Parameter userAgent: The header `User-Agent`; nil where there is none.
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
