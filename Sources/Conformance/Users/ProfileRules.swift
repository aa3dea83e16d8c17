import MadangAPI
import NIOHTTP1

enum ProfileRules {
  static let all: [Rule] = [
    .shape("users.profile.shape", .objects, "The own profile has exactly the keys of the contract.", \.profile) {
      let person = try await $0.person()
      return try await person.call(.GET, person.profilePath)
    },
    .shape("users.profile.edit-shape", .objects, "Editing the profile answers the profile.", \.profile) {
      let person = try await $0.person()
      return try await person.call(.PUT, person.profilePath, .json(["nickname": "Nara", "phone": "010-1"]))
    },
    Rule("users.profile.partial", .partialEdits, "A field that is absent or null is left unchanged.") { trial in
      let person = try await trial.person()
      _ = try await person.put(person.profilePath, ["phone": "010-1234"])
      let renamed = try await person.put(person.profilePath, ["nickname": "Nara", "phone": nil])
      try expectEqual("the phone", try renamed.text("phone"), "010-1234")
      let both = try await person.put(person.profilePath, [:])
      try expectEqual("the nickname", try both.text("nickname"), "Nara")
    },
    Rule("users.profile.clear-phone", .partialEdits, "phone: \"\" clears the phone.") { trial in
      let person = try await trial.person()
      _ = try await person.put(person.profilePath, ["phone": "010-1234"])
      try expectEqual("the phone", try await person.put(person.profilePath, ["phone": ""]).text("phone"), "")
    },
    Rule("users.profile.bad-fields", .textRules, "An empty or too long nickname and a bad phone are E11.") { trial in
      let person = try await trial.person()
      for body: JSON in [["nickname": ""], ["nickname": .text(String(repeating: "x", count: 31))], ["phone": "abc"]] {
        try await person.call(.PUT, person.profilePath, .json(body)).isRefused(.badRequest)
      }
    },
    .shape("users.image.shape", .objects, "Setting a picture answers the profile with its path.", \.profile) {
      let person = try await $0.person()
      return try await person.call(.PUT, person.profilePath + "/image", .multipart([.file("image")]))
    },
    Rule("users.image.new-path", .storedPaths, "A changed picture gets a new path.") { trial in
      let person = try await trial.person()
      var paths: [String] = []
      for _ in 0..<2 {
        let answer = try await person.call(.PUT, person.profilePath + "/image", .multipart([.file("image")]))
        paths.append(try answer.json().text("profileImage"))
      }
      try expect(paths[0] != paths[1], "two different paths", seen: "\(paths)")
    },
    Rule("users.image.none", .accountEndpoints, "No file, and a file of zero bytes, are E11.") { trial in
      let person = try await trial.person()
      for body: RequestBody in [.multipart([.text("image", "x")]), .multipart([.file("image", [])]), .json([:])] {
        try await person.call(.PUT, person.profilePath + "/image", body).isRefused(.badRequest)
      }
    },
    .refusal(
      .badRequest, "users.image.no-image", .fileTypes, "A file that is not an image is E11, with any name."
    ) {
      let person = try await $0.person()
      let parts = [RequestBody.Part.file("image", Sample.pdf, filename: "a.jpg", type: "image/jpeg")]
      return try await person.call(.PUT, person.profilePath + "/image", .multipart(parts))
    },
  ]
}

/// Whose profile a caller may see (wire contract, Profile visibility).
enum PeopleRules {
  static let all: [Rule] = [
    .shape("people.shape", .objects, "GET /users/{id} answers exactly the keys of the contract.", \.memberDetail) {
      let yard = try await $0.courtyard()
      return try await yard.a.call(.GET, "users/\(try yard.b.id)")
    },
    Rule("people.self", .profileVisibility, "GET /users/{id} answers for the caller.") { trial in
      let person = try await trial.person()
      try expectEqual("the e-mail", try await person.get("users/\(try person.id)").text("email"), person.email)
    },
    .refusal(
      .noAccount, "people.stranger", .profileVisibility, "An account that shares nothing with the caller is E03."
    ) {
      let yard = try await $0.courtyard()
      return try await yard.c.call(.GET, "users/\(try yard.a.id)")
    },
    .refusal(.noAccount, "people.unknown", .profileVisibility, "An unknown user id is E03.") {
      try await $0.person().call(.GET, "users/\($0.unknownID)")
    },
    Rule(
      "people.direct-message", .profileVisibility,
      "The other person of a direct message stays visible after leaving the workspace."
    ) { trial in
      let yard = try await trial.courtyard()
      _ = try await yard.a.directMessage(with: yard.b, in: yard.workspace)
      try await yard.b.call(.GET, yard.workspace.leave).isSuccess()
      try await yard.a.call(.GET, "users/\(try yard.b.id)").isSuccess()
    },
  ]
}
