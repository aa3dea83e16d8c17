/// An HTTP archive (HAR 1.2) that browsers read, with WebSocket messages as Chrome writes them.
struct HAR: Encodable, Sendable {
  let log: Log

  struct Log: Encodable, Sendable {
    let version = "1.2"
    let creator = Creator()
    let entries: [Entry]

    private enum CodingKeys: String, CodingKey {
      case version, creator, entries
    }
  }

  struct Creator: Encodable, Sendable {
    let name = "madang"
    let version = "1"

    private enum CodingKeys: String, CodingKey {
      case name, version
    }
  }

  struct Entry: Encodable, Sendable {
    let startedDateTime: String
    /// In milliseconds.
    let time: Double
    let request: Request
    let response: Answer
    let cache = Nothing()
    let timings: Timings
    /// The number of the journal's entry.
    let number: Int
    let resourceType: String
    let messages: [SocketMessage]?
    let comment: String?
    /// The e-mail of the caller's account.
    let account: String?
    let edition: String?
    /// The kind of the fault that was applied.
    let fault: String?

    enum CodingKeys: String, CodingKey {
      case startedDateTime, time, request, response, cache, timings, comment
      case account = "_account"
      case edition = "_edition"
      case fault = "_fault"
      case number = "_number"
      case resourceType = "_resourceType"
      case messages = "_webSocketMessages"
    }
  }

  struct Nothing: Encodable, Sendable {}

  struct Timings: Encodable, Sendable {
    let send = 0.0
    let wait: Double
    let receive = 0.0

    private enum CodingKeys: String, CodingKey {
      case send, wait, receive
    }
  }

  struct Pair: Encodable, Sendable {
    let name: String
    let value: String
  }

  struct Request: Encodable, Sendable {
    let method: String
    let url: String
    let httpVersion = "HTTP/1.1"
    /// None: cookies are secrets.
    let cookies: [Pair] = []
    let headers: [Pair]
    let queryString: [Pair]
    let postData: PostData?
    let headersSize = -1
    let bodySize: Int

    private enum CodingKeys: String, CodingKey {
      case method, url, httpVersion, cookies, headers, queryString, postData, headersSize, bodySize
    }
  }

  struct PostData: Encodable, Sendable {
    let mimeType: String
    let text: String?
    let params: [Parameter]?
  }

  struct Parameter: Encodable, Sendable {
    let name: String
    let value: String?
    let fileName: String?
  }

  struct Answer: Encodable, Sendable {
    /// 0 if the client got no answer.
    let status: Int
    let statusText = ""
    let httpVersion = "HTTP/1.1"
    let cookies: [Pair] = []
    let headers: [Pair]
    let content: Content
    let redirectURL = ""
    let headersSize = -1
    let bodySize: Int

    private enum CodingKeys: String, CodingKey {
      case status, statusText, httpVersion, cookies, headers, content, redirectURL, headersSize, bodySize
    }
  }

  struct Content: Encodable, Sendable {
    let size: Int
    let mimeType: String
    let text: String?
  }

  struct SocketMessage: Encodable, Sendable {
    enum Direction: String, Encodable, Sendable {
      case send, receive
    }

    let type: Direction
    /// In seconds since 1970.
    let time: Double
    /// Of a WebSocket's frame: 1 for text, 2 for bytes.
    let opcode: Int
    let data: String
  }
}
