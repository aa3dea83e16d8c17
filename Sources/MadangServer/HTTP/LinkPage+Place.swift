import MadangCore

extension LinkPage {
  /// What of a page a path leads to.
  enum Place {
    /// The page that sends links.
    case request
    /// The page that a link opens.
    case link(code: String)
  }

  /// A path without the code of a link: whoever has that may do what the link is for.
  ///
  /// - Parameter mask: Stands for what is behind the page.
  package static func masked(_ path: String, by mask: String) -> String {
    let segments = RequestTarget(path).segments
    guard segments.count > 1, let page = LinkPage(rawValue: segments[0]) else { return path }
    return "/\(page.rawValue)/\(mask)"
  }

  /// The page that a path leads to, and what of it; nil for a path of something else.
  static func place(in target: RequestTarget) -> (page: LinkPage, place: Place)? {
    guard let page = target.segments.first.flatMap(LinkPage.init) else { return nil }
    return switch target.segments.count {
    case 1: (page, .request)
    case 2: (page, .link(code: target.segments[1]))
    default: nil
    }
  }
}
