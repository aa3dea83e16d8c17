import HTTPTypes
import Hummingbird
import Logging
import MadangAPI
import MadangCore
import Storage

extension Page {
  /// Answers a GET or POST with what `body` makes of it, and says in words why that failed. Nil for other methods.
  ///
  /// Calls count for the limit of their address. A form that a page of another site sends is refused.
  /// - Parameters:
  ///   - mistake: What is said, above the form, of one that cannot be used.
  ///   - gone: What is said of a link that leads nowhere, or not any more.
  func answer(
    to request: Request, from client: ClientAddress, by service: Service, mistake: String, gone: String,
    _ body: () async throws -> Response
  ) async -> Response? {
    guard [.get, .post].contains(request.method) else { return nil }
    guard request.method == .get || !request.isFromAnotherSite else {
      return response(.forbidden, "Open this page itself, and try again.")
    }
    do {
      try service.limits.count(.address(client.networkHash))
      return try await body()
    } catch let refusal as Refusal where refusal.code == .tooManyCalls {
      var response = response(.tooManyRequests, "Too many attempts. Come back later.")
      response.headers[.retryAfter] = refusal.retryAfter.map { String($0) }
      return response
    } catch let failure as Failure where failure.code == .invalid {
      return response(.badRequest, mistake, hasForm: true)
    } catch let failure as Failure where failure.code == .notFound {
      return response(.notFound, gone)
    } catch let error as StorageError where error.code == .writesStopped {
      return readOnly
    } catch {
      service.failureLog.write("a page failed", error, ["page": "\(title)"])
      return response(.serviceUnavailable, "Something went wrong. Try again in a minute.")
    }
  }

  /// For who would change something in read-only mode.
  var readOnly: Response {
    response(.serviceUnavailable, "The server is under maintenance and accepts no changes. Come back later.")
  }
}

extension Request {
  /// Whether a browser says that a page of another site sends it. Older browsers, and other programs, say nothing.
  var isFromAnotherSite: Bool { ![nil, "same-origin", "none"].contains(headers[.secFetchSite]) }
}

extension HTTPField.Name {
  // A valid name by inspection, which `init?` cannot know.
  fileprivate static let secFetchSite = Self("Sec-Fetch-Site") ?? .via
}
