import MadangAPI
import NIOHTTP1
import Synchronization
import Testing

@testable import Conformance

/// A difference that servers of this kind often have, shown by a proxy that makes Madang differ so.
struct Difference: Sendable, CustomTestStringConvertible {
  /// What such a server does.
  let what: String
  let cause: Cause
  /// Which rules are run. They include some that the difference does not touch.
  let selection: [String]
  /// In which edition; nil for both.
  let edition: EditionName?
  /// The number of rules that it violates, at least.
  let rules: Int
  let fault: Fault

  init(
    _ what: String, _ cause: Cause, of selection: String..., in edition: EditionName? = nil, rules: Int, _ fault: Fault
  ) {
    (self.what, self.cause, self.selection) = (what, cause, selection)
    (self.edition, self.rules, self.fault) = (edition, rules, fault)
  }

  var testDescription: String { what }
}

extension Difference {
  static let all = answers + values + requests + chats

  private static let answers: [Difference] = [
    Difference(
      "the code of an error comes with HTTP 200", .errorsAsSuccess, of: "errors.", "order.", "bodies.", "members.",
      "dms.", rules: 25, .ofAPI { _, answer in if answer.status == 400 { answer.status = 200 } }),
    Difference(
      "an error has a message instead of errorCode", .errorsWithoutCode, of: "errors.", "order.", "bodies.",
      "members.", "refresh.", rules: 25,
      .ofAPI { _, answer in
        answer.text = answer.text.replacing(
          /\{"errorCode":"E\d\d"\}/, with: #"{"statusCode":400,"message":"Bad Request"}"#)
      }),
    Difference(
      "E05 and E06 are confused", .expiryCodes, of: "expiry.", rules: 5,
      .ofAPI { _, answer in
        guard answer.status == 400 else { return }
        answer.text = answer.text.replacing(/E0([56])/) { $0.output.1 == "5" ? "E06" : "E05" }
      }),
    Difference(
      "nothing to return is a message", .emptyAnswer, of: "answers.", "users.", "channels.", "workspaces.",
      in: .october2024, rules: 4,
      .ofAPI { _, answer in if answer.text == "{}" { answer.text = #"{"message":"ok"}"# } }),
    Difference(
      "signing up fails", .signUp, of: "refresh.", "workspaces.", "users.join.session", rules: 30,
      .ofAPI { request, answer in if request.path == "/v1/users/join" { answer.refuse("E99") } }),
  ]

  private static let values: [Difference] = [
    Difference(
      "dates end without milliseconds and Z", .dateForm, of: "dates.", "cursors.", "users.", "channels.", "history.",
      rules: 30,
      .ofAPI { _, answer in answer.text = answer.text.replacing(/(\d\d:\d\d:\d\d)\.\d{3}Z"/) { $0.output.1 + "\"" } }),
    Difference(
      "numbers are strings", .quotedNumbers, of: "answers.", "coins.", "users.profile.", "unread.", "channels.",
      rules: 10,
      .ofAPI { _, answer in
        answer.text = answer.text.replacing(/"(sesacCoin|count|price|private)":(\d+)/) {
          "\"\($0.output.1)\":\"\($0.output.2)\""
        }
      }),
    Difference(
      "a key without a value is left out", .nullsLeftOut, of: "answers.", "users.", "members.", "chats.", "dms.",
      rules: 15,
      .ofAPI { _, answer in
        answer.text = answer.text.replacing(/"\w+":null,/, with: "").replacing(/,"\w+":null/, with: "")
      }),
    Difference(
      "ids are UUIDs without dashes", .idForm, of: "ids.", "users.profile.", "workspaces.", "channels.", "members.",
      "chats.", "history.", in: .october2024, rules: 15,
      Fault(
        request: { request in
          guard request.isOfAPI else { return }
          request.target = dashed(request.target)
          if request.headers.first(name: "Content-Type") == "application/json" {
            request.body = Array(dashed(request.text).utf8)
          }
        },
        answer: { request, answer in
          guard request.isOfAPI, answer.isJSON else { return }
          answer.text = answer.text.replacing(/"(\w+_id)":"([0-9a-f-]{36})"/) {
            "\"\($0.output.1)\":\"\($0.output.2.filter { $0 != "-" })\""
          }
        })),
  ]

  private static let requests: [Difference] = [
    Difference(
      "the token needs a scheme", .rawToken, of: "headers.raw-token", "headers.bearer", "key.", "order.", "workspaces.",
      "members.", rules: 40,
      .request { request in
        let token = request.headers.first(name: HeaderName.authorization) ?? ""
        guard request.isOfAPI, !token.isEmpty, !token.hasPrefix("Bearer ") else { return }
        // Many calls with one unknown token would meet a limit.
        request.headers.replaceOrAdd(name: HeaderName.authorization, value: "none-\(UInt64.random(in: 0 ... .max))")
      }),
    Difference(
      "files have one part name", .partNames, of: "multipart.", "chats.", rules: 2,
      .ofAPI { request, answer in
        guard request.headers.first(name: "Content-Type")?.hasPrefix("multipart/") == true else { return }
        let names = request.text.matches(of: /name="([^"]*)"; filename="[^"]/).map(\.output.1)
        if names.contains(where: { !["files", "image"].contains($0) }) { answer.refuse("E11") }
      }),
    Difference(
      "a cursor is inclusive", .inclusiveCursor, of: "cursors.", "history.", "unread.", rules: 8,
      .request { request in
        request.target = request.target.replacing(/(cursor_date|after)=([^&]+)/) { match in
          let cursor = String(match.output.2).replacing("%2B", with: "+").replacing("%3A", with: ":")
          guard let label = try? Cursor.label(cursor, zoneless: 0) else { return String(match.output.0) }
          return "\(match.output.1)=\(WireDate.string(label - 1))"
        }
      }),
  ]

  private static let chats: [Difference] = [
    Difference("own chats count as unread", .ownChatsUnread, of: "unread.", "cursors.", rules: 1, ownChatsCounted()),
    Difference(
      "rooms have other namespaces", .namespaceNames, of: "sockets.connect.", "sockets.admission.",
      "sockets.delivery.", "sockets.leave", rules: 25,
      Fault(
        answer: { request, answer in if request.isPoll { answer.text = withoutRooms(answer.text) } },
        heard: { $0.hasPrefix("42/ws-") ? [] : [withoutRooms($0)] })),
    Difference(
      "a sender gets no event", .noEcho, of: "sockets.delivery.", "sockets.connect.", "sockets.client-events",
      rules: 6, noEcho()),
  ]

  /// The paths and objects of a request with the ids that Madang knows.
  private static func dashed(_ text: String) -> String {
    text.replacing(/(\/|")([0-9a-f]{8})([0-9a-f]{4})([0-9a-f]{4})([0-9a-f]{4})([0-9a-f]{12})(\/|"|\?|$)/) {
      let id = $0.output
      return "\(id.1)\(id.2)-\(id.3)-\(id.4)-\(id.5)-\(id.6)\(id.7)"
    }
  }

  /// What a server answers that knows no such namespaces.
  private static func withoutRooms(_ text: String) -> String {
    text.replacing(/4[04](\/ws-[^,]+),\{[^\u{1E}]*/) { "44\($0.output.1),{\"message\":\"Invalid namespace\"}" }
  }

  /// Counts the caller's chats in a room with those of others.
  private static func ownChatsCounted() -> Fault {
    let posted = Mutex<[String: Int]>([:])
    return .ofAPI { request, answer in
      guard let token = request.headers.first(name: HeaderName.authorization), answer.status == 200 else { return }
      let room = "\(token) \(request.path.split(separator: "/").dropLast().joined(separator: "/"))"
      if request.method == "POST", request.path.hasSuffix("/chats") { posted.withLock { $0[room, default: 0] += 1 } }
      guard request.path.hasSuffix("/unreads"), request.target.contains("=1970") else { return }
      let own = posted.withLock { $0[room] ?? 0 }
      answer.text = answer.text.replacing(/"count":(\d+)/) { "\"count\":\((Int($0.output.1) ?? 0) + own)" }
    }
  }

  /// Sends no chat to WebSockets of the account that posted it.
  private static func noEcho() -> Fault {
    let accounts = Mutex<[Substring: Substring]>([:])
    var fault = Fault.ofAPI { _, answer in
      guard let token = answer.text.firstMatch(of: /"accessToken":"([^"]+)"/)?.output.1,
        let email = answer.text.firstMatch(of: /"email":"([^"]+)"/)?.output.1
      else { return }
      accounts.withLock { $0[token] = email }
    }
    fault.socket = {
      let owner = Mutex<Substring?>(nil)
      return Fault(
        heard: { text in
          let author = text.hasPrefix("42") ? text.firstMatch(of: /"email":"([^"]+)"/)?.output.1 : nil
          return author != nil && author == owner.withLock(\.self) ? [] : [text]
        },
        said: { text in
          if let token = text.firstMatch(of: /"token":"([^"]+)"/)?.output.1 {
            let email = accounts.withLock { $0[token] }
            owner.withLock { $0 = email }
          }
          return [text]
        })
    }
    return fault
  }
}

extension Fault {
  /// Changes JSON answers, and empty ones, of the API.
  fileprivate static func ofAPI(
    _ change: @escaping @Sendable (ProxyRequest, inout ProxyAnswer) -> Void
  ) -> Fault {
    .answer { request, answer in
      if request.isOfAPI, answer.isJSON || answer.body.isEmpty { change(request, &answer) }
    }
  }
}

extension ProxyRequest {
  fileprivate var isOfAPI: Bool { path.hasPrefix("/v") }
}
