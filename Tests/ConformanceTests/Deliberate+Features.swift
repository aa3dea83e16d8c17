import MadangAPI
import NIOHTTP1
import SocketIOProtocol
import Synchronization

extension Deliberate {
  static let accounts: [Deliberate] = [
    Deliberate(
      "e-mails come back in lower case", "users.join.values", of: "users.join.v",
      .text { $0.replacing(/"email":"[^"]*"/) { String($0.output).lowercased() } }),
    Deliberate(
      "a refresh token works once", "refresh.no-rotation", of: "refresh.no",
      { () -> Fault in
        let used = Mutex<Set<String>>([])
        return .answer { request, answer in
          guard let token = request.headers.first(name: HeaderName.refreshToken) else { return }
          if used.withLock({ !$0.insert(token).inserted }) { answer.refuse("E02") }
        }
      }()),
    Deliberate(
      "2024-01 refreshes while the token is valid", "refresh.early-2024-01", in: .january2024,
      .request { if $0.path == "/v1/auth/refresh" { $0.headers.remove(name: HeaderName.authorization) } }),
    Deliberate(
      "2024-10 refuses while the token is valid", "refresh.early-2024-10",
      .answer { request, answer in
        if request.path == "/v1/auth/refresh", request.headers.contains(name: HeaderName.authorization) {
          answer.refuse("E04")
        }
      }),
    Deliberate(
      "a second key in the refresh's answer", "refresh.shape", of: "refresh.shape",
      .text { $0.replacing(/^\{"accessToken":/, with: #"{"expiresIn":1,"accessToken":"#) }),
    Deliberate(
      "sign-out that ends nothing", "users.logout",
      Fault(
        request: { if $0.path == "/v1/users/logout" { $0.target = "/v1/workspaces" } },
        answer: { request, answer in if request.path == "/v1/users/logout" { answer.text = "{}" } })),
    Deliberate(
      "a copy of the refresh token in the query disturbs", "refresh.query",
      .answer { request, answer in if request.target.contains("?RefreshToken=") { answer.refuse("E11") } }),
    Deliberate(
      "no credentials from the query", "sockets.admission.query", of: "sockets.admission.q",
      Fault(heard: { [$0.replacing(/^40(\/ws-[^,]*,).*/) { "44\($0.output.1){\"message\":\"not allowed\"}" }] })),
    Deliberate(
      "E02 for an expired refresh token as access token", "expiry.refresh-token-as-access",
      .text { $0.replacing("E06", with: "E02") }),
    Deliberate(
      "E05 for an expired refresh token", "expiry.refresh-token", .text { $0.replacing("E06", with: "E05") }),
  ]

  static let rooms: [Deliberate] = [
    Deliberate("history from the newest on", "history.order", .answer(reversed { $0.path.hasSuffix("/chats") })),
    Deliberate(
      "members from the newest on", "members.list.order", of: "members.list.",
      .answer(reversed { $0.path.hasSuffix("/members") })),
    Deliberate(
      "workspaces from the oldest on", "workspaces.list.newest-first", of: "workspaces.list.",
      .answer(reversed { $0.path == "/v1/workspaces" })),
    Deliberate(
      "own chats count as unread", "unread.not-own", of: "unread.not",
      .text { $0.replacing(/"count":(\d+)/) { #""count":\#((Int($0.output.1) ?? 0) + 1)"# } }),
    Deliberate(
      "null for the built-in picture", "workspaces.create.defaults", of: "workspaces.create.d",
      .text { $0.replacing(/"coverImage":"[^"]*default.png"/, with: #""coverImage":null"#) }),
    Deliberate(
      "no default channel among mine", "workspaces.create.default-channel", of: "workspaces.create.d",
      .answer { request, answer in if request.path.hasSuffix("/my-channels") { answer.text = "[]" } }),
    Deliberate(
      "reading does not join", "channels.join.history", of: "channels.join.h",
      .answer { request, answer in if request.path.hasSuffix("/my-channels") { answer.text = "[]" } }),
    Deliberate(
      "content is trimmed", "chats.post.verbatim", of: "chats.post.v",
      .text { $0.replacing(#""content":"  a"#, with: #""content":"a"#) }),
    Deliberate(
      "a payment answers the balance", "payments.values", of: "payments.v",
      .text { $0.replacing(#""sesacCoin":50"#, with: #""sesacCoin":150"#) }),
  ]

  static let files: [Deliberate] = [
    Deliberate("no ETag", "files.etag", .answer { $1.headers.remove(name: "ETag") }),
    Deliberate("ranges are ignored", "files.range", .request { $0.headers.remove(name: "Range") }),
    Deliberate(
      "a file is served to strangers", "files.access.strangers", of: "files.access.s",
      .answer { request, answer in
        if request.path.contains("/static/"), answer.text.contains("E13") {
          (answer.status, answer.text) = (200, "bytes")
        }
      }),
    Deliberate(
      "browsers may guess the type", "files.headers", .answer { $1.headers.remove(name: "X-Content-Type-Options") }),
    Deliberate(
      "a path of four parts", "pictures.paths",
      .text { $0.replacing("/static/workspaceCoverImages/", with: "/static/v1/workspaceCoverImages/") }),
  ]

  static let sockets: [Deliberate] = [
    Deliberate(
      "a chat as text in text", "sockets.delivery.one-object",
      .heard { text in
        [text.replacing(/^(42[^\[]*\["\w+"),(\{.*\})\]$/) { "\($0.output.1),\(JSONText.quoted(String($0.output.2)))]" }]
      }),
    Deliberate(
      "a second argument", "sockets.delivery.one-object",
      .heard { $0.hasPrefix("42") ? [$0.dropLast() + ",1]"] : [$0] }),
    Deliberate(
      "the sender does not hear", "sockets.delivery.sender", of: "sockets.delivery.s",
      .heard { $0.contains(#""content":"mine""#) ? [] : [$0] }),
    Deliberate("everything comes twice", "sockets.delivery.once", .heard { $0.hasPrefix("42") ? [$0, $0] : [$0] }),
    Deliberate(
      "another text of a refusal", "sockets.admission.strangers", of: "sockets.admission.s",
      .heard { [$0.replacing("not allowed", with: "forbidden")] }),
    Deliberate(
      "a second key in the connect's answer", "sockets.connect.sid", of: "sockets.connect.s",
      .heard { $0.hasPrefix("40/") ? [$0.replacing("{\"sid\"", with: "{\"pid\":\"x\",\"sid\"")] : [$0] }),
    Deliberate(
      "the probe's answer is lost", "sockets.upgrade.probe", of: "sockets.upgrade.pr",
      .heard { $0 == "3probe" ? [] : [$0] }),
    Deliberate(
      "a poll is not released", "sockets.upgrade.noop", of: "sockets.upgrade.n",
      .answer { request, answer in
        if request.isPoll, answer.text == "6" { try? await Task.sleep(for: .seconds(5)) }
      }),
    Deliberate(
      "what overtakes the upgrade is refused", "sockets.upgrade.late-post", of: "sockets.upgrade.l",
      .answer { request, answer in
        if request.isPoll, request.text.hasPrefix("40/ws-") { (answer.status, answer.text) = (400, #"{"code":3}"#) }
      }),
    Deliberate(
      "leaving a namespace ends the session", "sockets.leave.engine-stays", of: "sockets.leave.",
      Fault(said: { $0.hasPrefix("41/") ? nil : [$0] })),
    Deliberate(
      "a client's event ends the session", "sockets.client-events",
      Fault(said: { $0.hasPrefix("42/") ? nil : [$0] })),
    Deliberate(
      "any revision is served", "sockets.open.bad-revision", of: "sockets.open.b",
      .request { $0.target = $0.target.replacing(/EIO=(5|2|abc|44)/, with: "EIO=4") }),
    Deliberate(
      "any origin is served", "sockets.open.foreign-origin", of: "sockets.open.f",
      .request { $0.headers.remove(name: "Origin") }),
    Deliberate(
      "nobody is told that access ended", "sockets.ends.left", of: "sockets.ends.l",
      .heard { $0.hasPrefix("41/") ? [] : [$0] }),
  ]

  /// Turns an array around.
  private static func reversed(
    where matches: @escaping @Sendable (ProxyRequest) -> Bool
  ) -> @Sendable (ProxyRequest, inout ProxyAnswer) async -> Void {
    { request, answer in
      guard request.method == "GET", matches(request), let parts = JSONScanner.elements(ofArray: answer.body) else {
        return
      }
      let bytes = answer.body
      answer.text =
        "[" + parts.reversed().map { String(decoding: bytes[$0], as: UTF8.self) }.joined(separator: ",") + "]"
    }
  }
}
