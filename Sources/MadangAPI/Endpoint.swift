/// One operation of an edition: its method, path template, required credentials and response type.
///
/// Paths are spelled only here: the server registers endpoints, and the client calls them.
public struct Endpoint<Response>: Sendable {
  public let route: Route

  public init(_ method: Method, _ template: String, _ access: Access) {
    route = Route(method: method, template: template, access: access)
  }

  /// The path with its `{parameters}` replaced in order by `arguments`, percent-encoded as single segments.
  public func path(_ arguments: String...) -> String {
    var rest = arguments[...]
    return route.segments.map { segment in
      switch segment {
      case .literal(let text): "/" + text
      case .parameter: "/" + (rest.popFirst().map(percentEncoded) ?? "")
      }
    }.joined()
  }
}

/// An ``Endpoint`` without its response type, so that all endpoints fit into one table.
public struct Route: Hashable, Sendable {
  public enum Segment: Hashable, Sendable {
    case literal(String)
    case parameter(String)
  }

  public let method: Method
  public let template: String
  public let access: Access

  public var segments: [Segment] { Self.segments(of: template) }

  /// The segments of a template; `{name}` is a parameter.
  public static func segments(of template: String) -> [Segment] {
    template.split(separator: "/").map { part in
      part.hasPrefix("{") ? .parameter(String(part.dropFirst().dropLast())) : .literal(String(part))
    }
  }
}

public enum Method: String, Sendable {
  case get = "GET"
  case post = "POST"
  case put = "PUT"
  case delete = "DELETE"
}

/// The credentials that a caller needs besides the API key (wire contract, Order of checks; Request headers).
public enum Access: Sendable {
  /// None; `Authorization` is ignored completely.
  case publicKey
  /// An access token, or the unexpired refresh token of an active session (wire contract, Sessions and tokens).
  case token
  /// Like `token`, but the access token may have expired (signing out).
  case expiredToken
  /// A refresh token in its own header.
  case refreshToken
}

/// The answer of a route that returns nothing: `{}`.
public struct Empty: Codable, Hashable, Sendable {
  public init() {}
}

/// The answer of a route that returns nothing, whose clients fail on any body: zero bytes.
public enum NoContent: Sendable {}

/// The answer of a file download: raw bytes instead of JSON.
public enum FileBytes: Sendable {}

/// RFC 3986 unreserved characters stay; every other byte becomes `%XX`.
public func percentEncoded(_ text: String) -> String {
  let hex = Array("0123456789ABCDEF".utf8)
  var out: [UInt8] = []
  out.reserveCapacity(text.utf8.count)
  for byte in text.utf8 {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
      UInt8(ascii: "~"):
      out.append(byte)
    default:
      out += [UInt8(ascii: "%"), hex[Int(byte >> 4)], hex[Int(byte & 15)]]
    }
  }
  return String(decoding: out, as: UTF8.self)
}
