import MadangAPI

enum DateRules {
  private static let nineHours: Int64 = 9 * 3_600_000

  /// A date as milliseconds, its digits read as UTC.
  private static func label(_ json: JSON) throws -> Int64 {
    let text = try json.date("createdAt")
    guard let label = try? Cursor.label(text, zoneless: 0) else { throw Violation(expected: "a date", seen: text) }
    return label
  }

  static let all: [Rule] = [
    Rule("dates.form", .dates, "Every date has 24 characters: yyyy-MM-ddTHH:mm:ss.SSSZ.") { trial in
      let yard = try await trial.courtyard()
      var objects = [try await yard.a.profile(), yard.a.login, yard.workspace.object]
      for room in try await yard.rooms() { objects += [room.object, try await yard.a.say("hi", in: room)] }
      // Of opening a direct message, 2024-01 answers no date.
      for object in objects where object["createdAt"] != nil {
        _ = try object.date("createdAt")
      }
    },
    Rule(
      "dates.zones", .dates, "2024-01 shows Seoul's wall clock, nine hours ahead of 2024-10.",
      needs: [.bothEditions]
    ) { trial in
      let person = try await trial.person()
      let other = try await trial.other.signIn(person)
      let (here, there) = (try label(try await person.profile()), try label(try await other.profile()))
      try expectEqual(
        "milliseconds that the other edition is ahead", there - here, trial.isOctober ? nineHours : -nineHours)
    },
    Rule(
      "dates.now", .dates, "A new account's createdAt is the present time: UTC in 2024-10, Seoul's in 2024-01.",
      needs: [.development]
    ) { trial in
      let person = try await trial.person()
      let made = try label(person.login)
      let now =
        try label(["createdAt": .text(try await trial.advanceClock(seconds: 0))]) + (trial.isOctober ? 0 : nineHours)
      try expect(
        abs(now - made) < 120_000, "a date near \(WireDate.string(now))", seen: try person.login.text("createdAt"))
    },
    Rule(
      "dates.strictly-increasing", .dates,
      "createdAt strictly increases within a room, also when many write at once."
    ) { trial in
      let (person, room) = try await trial.personInChannel()
      try await withThrowingTaskGroup(of: Void.self) { group in
        for number in 0..<20 { group.addTask { _ = try await person.say("\(number)", in: room) } }
        try await group.waitForAll()
      }
      let labels = try await person.history(of: room).map(label)
      try expectEqual("the number of chats", labels.count, 20)
      try expect(zip(labels, labels.dropFirst()).allSatisfy(<), "strictly increasing dates", seen: "\(labels)")
    },
  ]
}
