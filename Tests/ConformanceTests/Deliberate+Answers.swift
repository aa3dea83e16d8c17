import MadangAPI
import NIOHTTP1

extension Deliberate {
  static let all = answers + errors + requests + accounts + rooms + files + sockets

  private static let answers: [Deliberate] = [
    Deliberate(
      "201 for what was created", "answers.status-200",
      .answer { request, answer in if request.method == "POST", answer.status == 200 { answer.status = 201 } }),
    Deliberate(
      "Content-Type without charset", "answers.content-type",
      .answer { _, answer in
        if answer.isJSON { answer.headers.replaceOrAdd(name: "Content-Type", value: "application/json") }
      }),
    Deliberate("answers that may be stored", "answers.no-store", .answer { $1.headers.remove(name: "Cache-Control") }),
    Deliberate("a null key left out", "answers.nulls", .text { $0.replacing(#""profileImage":null,"#, with: "") }),
    Deliberate(
      "an integer with a fraction", "answers.integers",
      .text { $0.replacing(#""sesacCoin":100"#, with: #""sesacCoin":100.0"#) }),
    Deliberate(
      "an integer as a string", "users.profile.shape", of: "users.profile.",
      .text { $0.replacing(#""sesacCoin":100"#, with: #""sesacCoin":"100""#) }),
    Deliberate(
      "plain text where nothing is returned", "answers.empty", in: .january2024,
      .answer { _, answer in if answer.status == 200, answer.body.isEmpty { answer.text = "OK" } }),
    Deliberate(
      "{} where zero bytes are due", "users.check-email.free", of: "users.check-email", in: .january2024,
      .answer { _, answer in if answer.status == 200, answer.body.isEmpty { answer.text = "{}" } }),
    Deliberate(
      "a date without milliseconds", "dates.form", of: "dates.form", .text { $0.replacing(/\.\d{3}Z"/, with: "Z\"") }),
    Deliberate(
      "UTC where Seoul's clock is due", "dates.now", of: "dates.now", in: .january2024,
      Fault(answer: { request, answer in
        guard request.headers.first(name: HeaderName.apiKey) == DevelopmentKey.january2024, answer.isJSON else {
          return
        }
        answer.text = answer.text.replacing(/\d{4}-\d\d-\d\dT[\d:.]+Z/) { match in
          let label = (try? Cursor.label(String(match.output), zoneless: 0)) ?? 0
          return WireDate.string(label - 9 * 3_600_000)
        }
      })),
    Deliberate(
      "quoted integer ids", "users.join.shape", in: .january2024,
      .text { $0.replacing(/"user_id":(\d+)/) { #""user_id":"\#($0.output.1)""# } }),
    Deliberate(
      "the other edition's key", "workspaces.create.shape", of: "workspaces.create.",
      .text { $0.replacing("coverImage", with: "thumbnail") }),
    Deliberate(
      "a boolean for private", "channels.create.shape", in: .january2024,
      .text { $0.replacing(#""private":0"#, with: #""private":false"#) }),
  ]

  private static let errors: [Deliberate] = [
    Deliberate(
      "a second key in errors", "errors.one-key",
      .text { $0.replacing(/\{"errorCode":"(E\d\d)"\}/) { #"{"errorCode":"\#($0.output.1)","message":"no"}"# } }),
    Deliberate(
      "401 for a bad token", "errors.status-400",
      .answer { _, answer in if answer.text.contains("E02") { answer.status = 401 } }),
    Deliberate(
      "errors as plain text", "errors.content-type",
      .answer { _, answer in
        if answer.status == 400 { answer.headers.replaceOrAdd(name: "Content-Type", value: "text/plain") }
      }),
    Deliberate(
      "a code of its own", "errors.known-codes", of: "errors.", .text { $0.replacing(#""E15""#, with: #""E16""#) }),
    Deliberate(
      "405 for a wrong method", "paths.wrong-method",
      .answer { _, answer in if answer.text.contains("E97") { (answer.status, answer.body) = (405, []) } }),
    Deliberate("no Retry-After", "limits.retry-after", .answer { $1.headers.remove(name: "Retry-After") }),
    Deliberate(
      "no limit for unknown tokens", "limits.unknown-tokens", .text { $0.replacing("E98", with: "E02") }),
    Deliberate(
      "E14 for strangers", "order.membership-before-permission", of: "order.",
      .answer { request, answer in if request.method == "DELETE", answer.text.contains("E13") { answer.refuse("E14") } }
    ),
    Deliberate(
      "the other edition's code for an unknown guest", "members.invite.unknown-2024-01", of: "members.invite.",
      in: .january2024,
      .answer { request, answer in
        if request.path.hasSuffix("/members"), answer.text.contains("E03") { answer.refuse("E13") }
      }),
  ]

  private static let requests: [Deliberate] = [
    Deliberate(
      "a call without key is served", "key.missing", of: "key.",
      .request { request in
        if !request.headers.contains(name: HeaderName.apiKey) {
          request.headers.add(name: HeaderName.apiKey, value: DevelopmentKey.october2024)
          request.headers.add(name: HeaderName.authorization, value: "x")
        }
      }),
    Deliberate(
      "Bearer is refused", "headers.bearer", of: "headers.b",
      .request { request in
        if request.headers.first(name: HeaderName.authorization)?.hasPrefix("Bearer ") == true {
          request.headers.replaceOrAdd(name: HeaderName.authorization, value: "nothing")
        }
      }),
    Deliberate(
      "a slash at the end makes another path", "paths.trailing-slash", of: "paths.",
      .answer { request, answer in if request.path.hasSuffix("/"), request.path != "/v1/" { answer.refuse("E97") } }),
    Deliberate(
      "forms are refused", "bodies.form", of: "bodies.",
      .answer { request, answer in
        if request.headers.first(name: "Content-Type") == "application/x-www-form-urlencoded" { answer.refuse("E11") }
      }),
    Deliberate(
      "a cursor is inclusive", "cursors.exclusive",
      .request { request in
        request.target = request.target.replacing(/(cursor_date|after)=([^&]+)/) { match in
          guard let label = try? Cursor.label(String(match.output.2), zoneless: 0) else {
            return String(match.output.0)
          }
          return "\(match.output.1)=\(WireDate.string(label - 1))"
        }
      }),
    Deliberate(
      "a bad cursor means the whole history", "cursors.unreadable",
      .request { $0.target = $0.target.replacing(/(cursor_date|after)=(nil|2024-12-13$)/, with: "x=1") }),
  ]
}
