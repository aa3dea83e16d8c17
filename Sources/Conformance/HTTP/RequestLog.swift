import MadangAPI
import NIOHTTP1
import Synchronization

/// What one rule has sent, and the secrets it was given.
final class RequestLog: Sendable {
  private struct State {
    var requests: [Request] = []
    var count = 0
    var secrets: [Secret]
    /// The e-mail addresses of the accounts that tokens belong to.
    var owners: [String: String] = [:]
    /// The addresses of accounts that have posted a chat.
    var authors: Set<String> = []
  }

  /// The newest are kept; evidence is about one of the last.
  private static let maxRequests = 50
  private let state: Mutex<State>

  /// - Parameter keys: The server's, that of the rule's edition first.
  init(keys: [String]) {
    let secrets = zip(keys, ["KEY", "OTHER_KEY"]).map { Secret(value: $0, variable: $1) }
    state = Mutex(State(secrets: secrets.filter { !$0.value.isEmpty }))
  }

  /// Keeps a request. Returns it with what the log knows about its token.
  @discardableResult
  func add(_ request: Request) -> Request {
    state.withLock { state in
      var request = request
      let token = request.headers.first { $0.0 == HeaderName.authorization }?.1
      request.hasAccessToken = state.secrets.contains { $0.variable == "TOKEN" && $0.value == token }
      if request.method == .POST, request.url.hasSuffix("/chats"), let owner = token.flatMap({ state.owners[$0] }) {
        state.authors.insert(owner)
      }
      request.number = state.count
      state.count += 1
      if state.requests.count == Self.maxRequests { state.requests.removeFirst() }
      state.requests.append(request)
      return request
    }
  }

  /// Remembers the tokens and the cookie of an answer as secrets.
  func learn(from answer: Answer) {
    var found: [Secret] = []
    if answer.text.contains("Token\""), let json = try? JSON(answer.body) {
      found = json.tokens.map { Secret(value: $1, variable: $0 == "accessToken" ? "TOKEN" : "REFRESH_TOKEN") }
    }
    if let cookie = answer.headers.first(name: "Set-Cookie"),
      let value = cookie.prefix(while: { $0 != ";" }).split(separator: "=", maxSplits: 1).dropFirst().first
    {
      found.append(Secret(value: String(value), variable: "COOKIE"))
    }
    guard !found.isEmpty else { return }
    state.withLock { state in
      for secret in found where !state.secrets.contains(where: { $0.value == secret.value }) {
        state.secrets.append(secret)
      }
    }
  }

  /// Remembers whose token one is.
  func learn(token: String, of email: String) { state.withLock { $0.owners[token] = email } }

  /// Whether the account of a token has posted a chat.
  func hasPosted(ownerOf token: String) -> Bool {
    state.withLock { state in state.owners[token].map(state.authors.contains) ?? false }
  }

  /// The request that evidence is about, as a shell command: that with the number, else the last of the call that the evidence names, else
  /// the last of all.
  func command(for evidence: String, number: Int? = nil) -> String? {
    state.withLock { state in
      let named = state.requests.filter { evidence.contains($0.call) }
      let longest = named.map(\.call.count).max()
      let numbered = state.requests.first { $0.number == number }
      let request = numbered ?? named.last { $0.call.count == longest } ?? state.requests.last
      return request?.command(state.secrets)
    }
  }

  /// The text without keys, tokens and cookies.
  func masked(_ text: String) -> String {
    state.withLock { state in
      state.secrets.reduce(text) { text, secret in
        text.replacing(secret.value, with: secret.variable.hasSuffix("KEY") ? "<key>" : "<token>")
      }
    }
  }
}

extension JSON {
  /// The tokens in it, by their keys.
  fileprivate var tokens: [(key: String, value: String)] {
    switch self {
    case .list(let list): list.flatMap(\.tokens)
    case .object(let object):
      object.flatMap { key, value -> [(key: String, value: String)] in
        guard case .text(let text) = value, ["accessToken", "refreshToken"].contains(key) else { return value.tokens }
        return text.isEmpty ? [] : [(key, text)]
      }
    case .null, .bool, .number, .text: []
    }
  }
}
