import MadangAPI
import NIOHTTP1

/// The three encodings of bodies (wire contract, Encodings).
enum BodyRules {
  /// A rule that the e-mail check takes a body, which needs nothing else.
  private static func taken(
    _ id: String, _ sentence: String, _ body: @escaping @Sendable (String) -> RequestBody
  ) -> Rule {
    Rule(id, .encodings, sentence) { trial in
      try await trial.call(.POST, "users/validation/email", body(Trial.newEmail())).isSuccess()
    }
  }

  private static func refused(_ id: String, _ sentence: String, _ bodies: [RequestBody]) -> Rule {
    Rule(id, .encodings, sentence) { trial in
      for body in bodies { try await trial.call(.POST, "users/validation/email", body).isRefused(.badRequest) }
    }
  }

  static let all: [Rule] = [
    taken("bodies.json", "A body may be JSON.") { .json(["email": .text($0)]) },
    taken("bodies.form", "A body may be a form.") { .form([("email", $0)]) },
    taken("bodies.multipart", "A body without files may be multipart.") { .multipart([.text("email", $0)]) },
    taken("bodies.json-declared-form", "JSON that is declared a form is read as JSON.") {
      .raw(#" {"email":"\#($0)"}"#, type: "application/x-www-form-urlencoded")
    },
    taken("bodies.json-without-type", "JSON without a type is read as JSON.") {
      .raw(#"{"email":"\#($0)"}"#, type: nil)
    },
    taken("bodies.json-charset", "JSON with a charset is JSON.") {
      .raw(#"{"email":"\#($0)"}"#, type: "application/json; charset=UTF-8")
    },
    taken("bodies.form-without-type", "Anything else without a type is a form.") { .raw("email=\($0)", type: nil) },
    taken("bodies.multipart-without-type", "A body that begins with '--' is multipart with that line as boundary.") {
      .bytes(RequestBody.multipart([.text("email", $0)], boundary: "abc"), type: nil)
    },
    taken("bodies.boundary-without-blank", "'multipart/form-data;boundary=...' without a blank, or quoted, is fine.") {
      .bytes(RequestBody.multipart([.text("email", $0)], boundary: "abc"), type: "multipart/form-data;boundary=\"abc\"")
    },
    taken("bodies.unknown-keys", "Unknown keys are ignored.") {
      .json(["email": .text($0), "more": [1, ["x": nil]]])
    },
    Rule(
      "bodies.form-unknown-fields", .encodings,
      "Misspelt form fields and unknown query keys are ignored."
    ) { trial in
      let person = try await trial.person()
      let made = try await person.call(
        .POST, "workspaces?name=other", .form([("name", Trial.newName()), ("desctiption", "x"), ("diviceToken", "y")]))
      try expectEqual("the description", try made.json().text("description"), "")
    },
    Rule("bodies.form-decoding", .encodings, "Forms decode '+' and '%xx'.") { trial in
      let person = try await trial.person()
      let body = RequestBody.raw("nickname=Mi+na%20%EA%B0%81", type: "application/x-www-form-urlencoded")
      try expectEqual(
        "the nickname", try await person.call(.PUT, person.profilePath, body).json().text("nickname"), "Mi na 각")
    },
    Rule("bodies.null-is-absent", .encodings, "null counts as absent.") { trial in
      var account = trial.newAccount()
      account["phone"] = JSON.null
      account["deviceToken"] = JSON.null
      let answer = try await trial.call(.POST, "users/join", .json(.object(account)))
      try expectEqual("phone", try answer.json().text("phone"), "")
    },
    refused(
      "bodies.no-object", "JSON that is not an object is E11.",
      [
        .raw("\"text\"", type: "application/json"), .raw("[]", type: "application/json"),
      ]),
    refused(
      "bodies.broken", "Broken JSON is E11.",
      [
        .raw("{\"email\":", type: "application/json"), .raw("{email:1}", type: "application/json"),
      ]),
    refused(
      "bodies.empty", "An empty body where fields are needed is E11.",
      [
        .none, .raw("", type: "application/json"), .json([:]),
      ]),
    refused(
      "bodies.wrong-type", "A text field that is not a string is E11.",
      [
        .json(["email": 7]), .json(["email": ["a@example.com"]]), .json(["email": true]),
      ]),
    Rule("bodies.ignored-where-none", .encodings, "A body on a route that needs none is ignored.") { trial in
      let (person, room) = try await trial.personInChannel()
      try await person.call(.DELETE, room.path, .raw("{}", type: nil)).isSuccess()
    },
    Rule(
      "bodies.ignored-on-hand-over", .encodings, "A {} body on handing over is ignored.", in: [.january2024]
    ) { trial in
      let yard = try await trial.courtyard()
      let path = "\(yard.workspace.path)/change/admin/\(try yard.b.id)"
      try await yard.a.call(.PUT, path, .raw("{}", type: nil)).hasShape(trial.shapes.workspace)
    },
    Rule("bodies.sign-in-form", .encodings, "A sign-in may be a form.") { trial in
      let person = try await trial.person()
      let form = RequestBody.form([("email", person.email), ("password", Trial.password), ("deviceToken", "")])
      try await trial.call(.POST, "users/login", form).hasShape(trial.shapes.emailLogin)
    },
    Rule("bodies.chat-encodings", .encodings, "A chat may be JSON, a form or multipart.") { trial in
      let (person, room) = try await trial.personInChannel()
      for body: RequestBody in [
        .json(["content": "hi 각"]), .form([("content", "hi 각")]), .multipart([.text("content", "hi 각")]),
      ] {
        try expectEqual("the content", try await person.call(.POST, room.chats, body).json().text("content"), "hi 각")
      }
    },
  ]
}
