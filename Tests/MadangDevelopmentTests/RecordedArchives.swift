import Foundation

/// Archives as tools write them, of invented people.
enum RecordedArchives {
  private static func json(_ value: String) -> String {
    String(decoding: (try? JSONEncoder().encode(value)) ?? Data(), as: UTF8.self)
  }

  private static let weekend = "7d5a2a0c-33b0-4a0e-8f55-1b1a3f0c9d21"
  private static let ios = "5f2b9c44-0d6e-4f7a-a1b3-77c9d0e1f203"
  private static let room = "93e7d1b5-2c4a-4f10-b6d8-5e9a0c1f2d34"

  private static func person(_ name: String, _ id: String) -> String {
    #"{"user_id":\#(id),"email":"\#(name.lowercased())@example.com","nickname":"\#(name)","profileImage":null}"#
  }

  private static let nari = person("Nari", #""0b9d1a8e-5c1f-4b5e-9d2a-0f6f3a1c7e11""#)
  private static let bo = person("Bo", #""aa1e3c5d-7f90-4b12-8d34-56e7f8a9b0c1""#)

  private static func entry(
    _ at: String, _ method: String, _ url: String, headers: [(String, String)] = [], post: String? = nil,
    status: Int = 200, _ answer: String, isBase64: Bool = false, more: String = ""
  ) -> String {
    let pairs = headers.map { #"{"name":\#(json($0.0)),"value":\#(json($0.1))}"# }.joined(separator: ",")
    let text = isBase64 ? Data(answer.utf8).base64EncodedString() : answer
    return
      #"{"startedDateTime":"\#(at)","time":12.5,"request":{"method":"\#(method)","url":\#(json(url)),"httpVersion":"HTTP/1.1","#
      + #""headers":[\#(pairs)],"queryString":[],"cookies":[],"headersSize":-1,"bodySize":-1"#
      + (post.map { #","postData":\#($0)"# } ?? "")
      + #"},"response":{"status":\#(status),"statusText":"","headers":[],"#
      + #""content":{"size":\#(answer.utf8.count),"mimeType":"application/json","text":\#(json(text))"#
      + (isBase64 ? #","encoding":"base64""# : "")
      + #"},"cookies":[],"redirectURL":"","headersSize":-1,"bodySize":-1},"#
      + #""cache":{},"timings":{"send":0,"wait":12,"receive":0}\#(more)}"#
  }

  private static func archive(_ creator: String, _ entries: [String]) -> String {
    #"{"log":{"version":"1.2","creator":{"name":"\#(creator)","version":"1"},"entries":[\#(entries.joined(separator: ","))]}}"#
  }

  private static func chat(_ id: String, _ text: String, _ at: String, _ author: String) -> String {
    #"{"channel_id":"\#(ios)","channelName":"ios","chat_id":"\#(id)","content":\#(json(text)),"createdAt":"\#(at)","files":[],"user":\#(author)}"#
  }

  private static let base = "https://api.example.com/v1"

  /// As Chrome saves it, without the headers that it leaves out, in edition 2024-10.
  static var chrome: String {
    let login =
      #"{"user_id":"0b9d1a8e-5c1f-4b5e-9d2a-0f6f3a1c7e11","email":"nari@example.com","nickname":"Nari","profileImage":null,"phone":"","provider":null,"createdAt":"2024-12-01T00:00:00.000Z","token":{"accessToken":"aaa.bbb","refreshToken":"ccc.ddd"}}"#
    let place =
      #"{"workspace_id":"\#(weekend)","name":"Weekend","description":"Plans","coverImage":"/static/workspaceCoverImages/default.png","owner_id":"aa1e3c5d-7f90-4b12-8d34-56e7f8a9b0c1","createdAt":"2024-12-01T00:00:00.000Z"}"#
    let channel =
      #"{"channel_id":"\#(ios)","name":"ios","description":"","coverImage":"/static/channelCoverImages/1_a.jpeg","owner_id":"ffffffff-7f90-4b12-8d34-56e7f8a9b0c1","createdAt":"2024-12-02T00:00:00.000Z"}"#
    let multipart =
      "------b\r\nContent-Disposition: form-data; name=\"content\"\r\n\r\nA view\r\n------b\r\nContent-Disposition: form-data; name=\"files\"; filename=\"a.jpeg\"\r\nContent-Type: image/jpeg\r\n\r\n\r\n------b--\r\n"
    let chats = "\(base)/workspaces/\(weekend)/channels/\(ios)/chats"
    let messages =
      #","_resourceType":"websocket","_webSocketMessages":[{"type":"send","time":1734076803.0,"opcode":1,"data":"40/ws-channel-x,"},"#
      + #"{"type":"receive","time":1734076804.0,"opcode":1,"data":\#(json("42/ws-channel-x,[\"channel\",\(chat("c3", "Over the socket", "2024-12-13T08:00:04.000Z", bo))]"))}]"#
    return archive(
      "WebInspector",
      [
        entry("2024-12-13T08:00:00.000Z", "GET", "https://cdn.example.com/logo.png", ""),
        entry(
          "2024-12-13T08:00:00.100Z", "POST", "\(base)/users/login",
          post:
            #"{"mimeType":"application/json","text":\#(json(#"{"email":"nari@example.com","password":"Hidden00!"}"#))}"#,
          login),
        entry("2024-12-13T08:00:00.500Z", "GET", "\(base)/workspaces", "[\(place)]"),
        entry("2024-12-13T08:00:00.600Z", "GET", "\(base)/workspaces/\(weekend)/members", "[\(bo),\(nari)]"),
        entry(
          "2024-12-13T08:00:00.700Z", "GET", "\(base)/workspaces/\(weekend)/channels", "[\(channel)]", isBase64: true),
        entry(
          "2024-12-13T08:00:01.000Z", "GET", "\(chats)?cursor_date=",
          "[\(chat("c0", "Old one", "2024-12-10T08:00:00.000Z", bo)),\(chat("c1", "Old two", "2024-12-10T08:01:00.000Z", bo))]"
        ),
        entry(
          "2024-12-13T08:00:02.000Z", "POST", chats,
          post: #"{"mimeType":"multipart/form-data; boundary=----b","text":\#(json(multipart))}"#,
          chat("c2", "A view", "2024-12-13T08:00:02.010Z", nari).replacing(
            #""files":[]"#, with: #""files":["/static/channelChats/1_a.jpeg"]"#)),
        entry(
          "2024-12-13T08:00:02.500Z", "GET", "wss://api.example.com/socket.io/?EIO=3", status: 101, "", more: messages),
        entry(
          "2024-12-13T08:00:03.000Z", "DELETE", "\(base)/workspaces/\(weekend)", status: 400, #"{"errorCode":"E14"}"#),
        entry(
          "2024-12-13T08:00:05.000Z", "POST", "\(base)/workspaces/\(weekend)/dms",
          post:
            #"{"mimeType":"application/json","text":\#(json(#"{"opponent_id":"aa1e3c5d-7f90-4b12-8d34-56e7f8a9b0c1"}"#))}"#,
          #"{"room_id":"\#(room)","createdAt":"2024-12-13T08:00:05.000Z","user":\#(bo)}"#),
        entry(
          "2024-12-13T08:00:06.000Z", "POST", "\(base)/workspaces/\(weekend)/dms/\(room)/chats",
          post: #"{"mimeType":"application/x-www-form-urlencoded","text":"content=Only+for+you%21"}"#,
          #"{"dm_id":"d1","room_id":"\#(room)","content":"Only for you!","createdAt":"2024-12-13T08:00:06.010Z","files":[],"user":\#(nari)}"#
        ),
      ])
  }

  /// As Charles and Proxyman save it, with tokens, another zone and a byte order mark, in edition 2024-01.
  static var charles: String {
    let (nari, bo) = (person("Nari", "12"), person("Bo", "31"))
    let token = [("Authorization", "aaa.bbb"), ("SesacKey", "not-shown"), ("Content-Type", "application/json")]
    let base = "http://lslp.example.com:1234/v1"
    func chat(_ id: Int, _ text: String, _ at: String, _ author: String) -> String {
      #"{"channel_id":6,"channelName":"잡담","chat_id":\#(id),"content":"\#(text)","createdAt":"\#(at)","files":[],"user":\#(author)}"#
    }
    let talk = "\(base)/workspaces/3/channels/%EC%9E%A1%EB%8B%B4"
    return "\u{FEFF}"
      + archive(
        "Charles Proxy",
        [
          entry(
            "2024-01-20T12:00:00.123+09:00", "POST", "http://lslp.example.com:1234/v2/users/login",
            post:
              #"{"mimeType":"application/json","params":[],"text":\#(json(#"{"email":"nari@example.com","password":"Hidden00!"}"#))}"#,
            #"{"user_id":12,"email":"nari@example.com","nickname":"Nari","profileImage":null,"phone":"","vendor":null,"createdAt":"2024-01-15T12:00:00.000Z","token":{"accessToken":"aaa.bbb","refreshToken":"c"}}"#
          ),
          entry(
            "2024-01-20T12:00:00.400+09:00", "GET", "\(base)/users/my", headers: token,
            #"{"user_id":12,"email":"nari@example.com","nickname":"Nari","profileImage":null,"phone":"","vendor":null,"sesacCoin":40,"createdAt":"2024-01-15T12:00:00.000Z"}"#
          ),
          entry(
            "2024-01-20T12:00:00.500+09:00", "GET", "\(base)/workspaces/3", headers: token,
            #"{"workspace_id":3,"name":"Builders","description":"","thumbnail":"/static/workspaceCoverImages/default.png","owner_id":12,"createdAt":"2024-01-15T12:00:00.000Z","channels":[{"workspace_id":3,"channel_id":6,"name":"잡담","description":"","owner_id":31,"private":0,"createdAt":"2024-01-15T12:10:00.000Z"}],"workspaceMembers":[\#(nari),\#(bo)]}"#
          ),
          entry(
            "2024-01-20T12:00:01.000+09:00", "GET", "\(talk)/chats", headers: token,
            "[\(chat(101, "Older", "2024-01-15T12:11:00.000Z", bo))]"),
          entry(
            "2024-01-20T12:00:02.000+09:00", "POST", "\(talk)/chats", headers: token,
            post:
              #"{"mimeType":"multipart/form-data","params":[{"name":"content","value":"Here I am"},{"name":"files","fileName":"a.png","contentType":"image/png"}]}"#,
            chat(102, "Here I am", "2024-01-20T12:00:02.010Z", nari).replacing(
              #""files":[]"#, with: #""files":["/static/channelChats/1_a.png"]"#)),
          entry(
            "2024-01-20T12:00:04.000+09:00", "GET", "\(talk)/chats?cursor_date=2024-01-20T12:00:02.010Z",
            headers: token,
            "[\(chat(103, "Welcome", "2024-01-20T12:00:03.000Z", bo))]"),
          entry(
            "2024-01-20T12:00:05.000+09:00", "PUT", "\(talk)", headers: token, status: 400, #"{"errorCode":"E14"}"#),
          entry(
            "2024-01-20T12:00:06.000+09:00", "PUT", "\(base)/workspaces/3/change/admin/31", headers: token,
            #"{"workspace_id":3,"name":"Builders","description":"","thumbnail":"/static/workspaceCoverImages/default.png","owner_id":31,"createdAt":"2024-01-15T12:00:00.000Z"}"#
          ),
          entry("2024-01-20T12:00:07.000+09:00", "GET", "\(talk)/leave", headers: token, "[]"),
        ])
  }
}
