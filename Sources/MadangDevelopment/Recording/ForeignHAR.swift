import Foundation

/// An HTTP archive as any tool writes it. Only what a recording needs is read, and unknown or odd parts are ignored.
struct ForeignHAR: Decodable {
  let log: Log

  struct Log: Decodable {
    let entries: [Tolerant<Entry>]
  }

  /// A value, or why it cannot be read.
  enum Tolerant<Value: Decodable>: Decodable {
    case value(Value)
    case unreadable(String)

    init(from decoder: any Decoder) throws {
      do { self = .value(try Value(from: decoder)) } catch let error as DecodingError {
        self = .unreadable(Self.words(error))
      }
    }

    private static func words(_ error: DecodingError) -> String {
      switch error {
      case .keyNotFound(let key, _): "\(key.stringValue) is missing"
      case .typeMismatch(_, let context), .valueNotFound(_, let context), .dataCorrupted(let context):
        "\(context.codingPath.last?.stringValue ?? "it") has another form than in HAR 1.2"
      @unknown default: "it has another form than in HAR 1.2"
      }
    }
  }

  struct Entry: Decodable {
    let startedDateTime: String
    let request: Request
    let response: Response
    let messages: [Message]
    /// Of Madang's own archives: the caller's e-mail, the edition, and the fault that applied.
    let account: String?
    let edition: String?
    let fault: String?

    private enum CodingKeys: String, CodingKey {
      case startedDateTime, request, response
      case messages = "_webSocketMessages"
      case account = "_account"
      case edition = "_edition"
      case fault = "_fault"
    }

    init(from decoder: any Decoder) throws {
      let fields = try decoder.container(keyedBy: CodingKeys.self)
      startedDateTime = try fields.decode(String.self, forKey: .startedDateTime)
      request = try fields.decode(Request.self, forKey: .request)
      response = (try? fields.decode(Response.self, forKey: .response)) ?? Response()
      messages = (try? fields.decode([Tolerant<Message>].self, forKey: .messages))?.values ?? []
      account = try? fields.decode(String.self, forKey: .account)
      edition = try? fields.decode(String.self, forKey: .edition)
      fault = try? fields.decode(String.self, forKey: .fault)
    }
  }

  struct Request: Decodable {
    let method: String
    let url: String
    let headers: [Pair]
    let body: PostData?

    private enum CodingKeys: String, CodingKey {
      case method, url, headers
      case body = "postData"
    }

    init(from decoder: any Decoder) throws {
      let fields = try decoder.container(keyedBy: CodingKeys.self)
      method = try fields.decode(String.self, forKey: .method)
      url = try fields.decode(String.self, forKey: .url)
      headers = (try? fields.decode([Tolerant<Pair>].self, forKey: .headers))?.values ?? []
      body = try? fields.decode(PostData.self, forKey: .body)
    }

    /// The first header of a name, in any case.
    func header(_ name: String) -> String? { headers.first { $0.name.lowercased() == name }?.value }
  }

  struct Pair: Decodable {
    let name: String
    let value: String
  }

  struct PostData: Decodable {
    let mimeType: String?
    let text: String?
    let params: [Parameter]?
    let encoding: String?

    private enum CodingKeys: String, CodingKey {
      case mimeType, text, params, encoding
    }

    init(from decoder: any Decoder) throws {
      let fields = try decoder.container(keyedBy: CodingKeys.self)
      mimeType = try? fields.decode(String.self, forKey: .mimeType)
      text = try? fields.decode(String.self, forKey: .text)
      params = (try? fields.decode([Tolerant<Parameter>].self, forKey: .params))?.values
      encoding = try? fields.decode(String.self, forKey: .encoding)
    }
  }

  struct Parameter: Decodable {
    let name: String
    let value: String?
    let fileName: String?
  }

  struct Response: Decodable {
    /// Nil or 0 without an answer.
    let status: Int?
    let date: String?
    let content: Content?

    private enum CodingKeys: String, CodingKey {
      case status, headers, content
    }

    init() { (status, date, content) = (nil, nil, nil) }

    init(from decoder: any Decoder) throws {
      let fields = try decoder.container(keyedBy: CodingKeys.self)
      status = (try? fields.decode(Double.self, forKey: .status)).flatMap { Int(exactly: $0) }
      let headers = (try? fields.decode([Tolerant<Pair>].self, forKey: .headers))?.values ?? []
      date = headers.first { $0.name.lowercased() == "date" }?.value
      content = try? fields.decode(Content.self, forKey: .content)
    }
  }

  struct Content: Decodable {
    let text: String?
    let encoding: String?
  }

  /// Of a WebSocket.
  struct Message: Decodable {
    let type: String
    /// In seconds since 1970.
    let time: Double
    let data: String
  }
}

extension [ForeignHAR.Tolerant<ForeignHAR.Pair>] {
  fileprivate var values: [ForeignHAR.Pair] { compactMap(\.readable) }
}

extension [ForeignHAR.Tolerant<ForeignHAR.Message>] {
  fileprivate var values: [ForeignHAR.Message] { compactMap(\.readable) }
}

extension [ForeignHAR.Tolerant<ForeignHAR.Parameter>] {
  fileprivate var values: [ForeignHAR.Parameter] { compactMap(\.readable) }
}

extension ForeignHAR.Tolerant {
  fileprivate var readable: Value? { if case .value(let value) = self { value } else { nil } }
}

extension ForeignHAR {
  /// A text that may be in Base64.
  static func text(_ text: String?, _ encoding: String?) -> String? {
    guard let text, encoding?.lowercased() == "base64" else { return text }
    return Data(base64Encoded: text, options: .ignoreUnknownCharacters).flatMap {
      String(validating: $0, as: UTF8.self)
    }
  }
}
