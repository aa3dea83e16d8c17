import MadangCore

extension LinkPage {
  /// What of a page a path leads to.
  enum Place {
    /// The page that sends links.
    case request
    /// The page that a link opens.
    case link(code: String)
  }

  /// Nil for a path of something else.
  func place(in target: RequestTarget) -> Place? {
    guard target.segments.first == rawValue else { return nil }
    return switch target.segments.count {
    case 1: .request
    case 2: .link(code: target.segments[1])
    default: nil
    }
  }
}
