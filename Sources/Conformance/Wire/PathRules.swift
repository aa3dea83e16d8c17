import MadangAPI
import NIOHTTP1

enum PathRules {
  static let all: [Rule] = [
    .refusal(.unknownPath, "paths.unknown", .orderOfChecks, "An unknown path is E97.") {
      try await $0.person().call(.GET, "no/such/path")
    },
    Rule("paths.wrong-method", .orderOfChecks, "A known path with a wrong method is E97.") { trial in
      let person = try await trial.person()
      for (method, path) in [("PATCH", "workspaces"), ("DELETE", "users/validation/email"), ("GET", "users/join")] {
        try await person.call(.init(rawValue: method), path).isRefused(.unknownPath)
      }
    },
    Rule("paths.bases", .paths, "GET /v1, /v1/, /v1/users/ and /v1/v1/... are E97.") { trial in
      let person = try await trial.person()
      for path in ["/v1", "/v1/", "/v1/users/", "/v1/v1/workspaces"] {
        try await person.call(.GET, path).isRefused(.unknownPath)
      }
    },
    Rule("paths.second-version", .transport, "POST /v2/users/login exists in 2024-01 and is E97 in 2024-10.") { trial in
      let person = try await trial.person()
      let answer = try await trial.call(
        .POST, "/v2/users/login", .json(["email": .text(person.email), "password": .text(Trial.password)]))
      if trial.isOctober { try answer.isRefused(.unknownPath) } else { try answer.hasShape(trial.shapes.login) }
    },
    .refusal(.unknownPath, "paths.second-version-alone", .transport, "Nothing else is below /v2.") {
      try await $0.person().call(.GET, "/v2/workspaces")
    },
    Rule("paths.double-slash", .paths, "Runs of slashes are one slash.") { trial in
      let person = try await trial.person()
      try await person.call(.GET, "//v1//\(person.profilePath)").hasShape(trial.shapes.profile)
    },
    Rule("paths.trailing-slash", .paths, "A slash at the end is ignored.") { trial in
      let person = try await trial.person()
      let workspace = try await person.workspace()
      try await person.call(.GET, "workspaces/").hasShape(trial.shapes.workspaces)
      try await person.call(.GET, workspace.channels + "/").hasShape(trial.shapes.channels)
    },
    Rule("paths.empty-segment", .paths, "An empty workspace id makes the next word the id, which is E13.") {
      trial in
      let person = try await trial.person()
      try await person.call(.GET, "workspaces//channels").isRefused(.notFound)
      try await person.call(.GET, "workspaces//dms").isRefused(.notFound)
    },
    Rule("paths.malformed-ids", .paths, "An id of the wrong form is E13.") { trial in
      let person = try await trial.person()
      for id in ["-1", "0", "abc", "1.5", "99999999999999999999", "%20"] {
        try await person.call(.GET, "workspaces/\(id)").isRefused(.notFound)
      }
    },
    Rule("paths.malformed-user-id", .paths, "A user id of the wrong form is E03.") { trial in
      let person = try await trial.person()
      for id in ["-1", "0", "abc", "99999999999999999999"] {
        try await person.call(.GET, "users/\(id)").isRefused(.noAccount)
      }
    },
    .refusal(.notFound, "paths.encoded-slash", .paths, "%2F inside a segment is a part of it, not a separator.") {
      let person = try await $0.person()
      let workspace = try await person.workspace()
      return try await person.call(.GET, "workspaces/\(try workspace.id)%2Fchannels")
    },
    Rule("queries.ignored", .queries, "Unknown keys, a bare question mark, '?=' and keys without value are fine.") {
      trial in
      let person = try await trial.person()
      for query in ["?", "?=", "?workspaceID", "?workspaceID=1&name=", "?a=1&a=2", "?%20=x"] {
        try await person.call(.GET, "workspaces" + query).hasShape(trial.shapes.workspaces)
      }
    },
    Rule("queries.first-wins", .queries, "The first of a repeated key counts.") { trial in
      let yard = try await trial.courtyard()
      let found = try await yard.a.get(yard.workspace.path + "/search?keyword=joon&keyword=zzzz").list(
        "workspaceMembers")
      try expectEqual("members found by the first keyword", try found.texts("nickname"), ["Joon"])
    },
    Rule("queries.on-writes", .queries, "Unknown query keys on POST and PUT are ignored.") { trial in
      let person = try await trial.person()
      let answer = try await person.call(.PUT, person.profilePath + "?userID=1&name=x", .json(["nickname": "Nara"]))
      try expectEqual("the new nickname", try answer.json().text("nickname"), "Nara")
    },
  ]
}
