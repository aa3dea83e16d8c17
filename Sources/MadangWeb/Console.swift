import Hummingbird

/// The console for people who test clients. Its pages call what is below `/_dev`.
package enum Console {
  /// Answers a request for one of its files; nil if no file is there.
  /// - Parameter path: The segments behind the console's root, which ends in a slash: addresses in the pages are relative.
  package static func answer(_ request: Request, at path: [String]) -> Response? {
    guard let response = PageFiles.console.response(to: request, at: path) else { return nil }
    guard path.isEmpty, let root = request.head.path?.prefix(while: { $0 != "?" && $0 != "#" }), !root.hasSuffix("/")
    else { return response }
    let name = root.split(separator: "/").last ?? ""
    return Response(status: .permanentRedirect, headers: [.location: "\(name)/"])
  }
}
