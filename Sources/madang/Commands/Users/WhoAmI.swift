import ArgumentParser
import MadangAPI
import MadangClient

struct WhoAmI: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "whoami", abstract: "Show your account and coins.", usage: "madang whoami [options]")

  @OptionGroup var connection: ConnectionOptions

  func run() async throws {
    try await connection.withPerson { person in
      try person.show(try await person.client.me())
    }
  }
}

extension Person {
  func show(_ me: Edition2024_10.Me) throws {
    try output.object(
      me,
      [
        ("nickname", me.nickname), ("email", me.email), ("phone", me.phone),
        ("picture", me.profileImage ?? ""),
        ("coins", String(me.sesacCoin)), ("id", me.userID), ("since", LocalTime(me.createdAt).day),
        ("server", client.configuration.server),
      ])
  }
}
