import ArgumentParser
import MadangAPI
import MadangClient

struct LogOut: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "logout", abstract: "End the session, here and at the server.", usage: "madang logout [options]")

  @OptionGroup var connection: ConnectionOptions

  func run() async throws {
    try await connection.withPerson { person in
      try await person.client.signOut()
      try person.output.object(Empty(), [])
      person.output.note("Signed out.")
    }
  }
}
