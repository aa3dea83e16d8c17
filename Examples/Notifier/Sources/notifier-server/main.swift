import Foundation
import Notifier

let usage = """
  SECRET=... SENDERS_TOKEN=... [DATABASE_URL=postgres://... NODE=a] notifier-server [PORT]   serves, on port 3000 unless one is given
  SECRET=... notifier-server token USER                                                     prints the token of a user
  """

func fail(_ words: String, status: Int32) -> Never {
  FileHandle.standardError.write(Data("notifier-server: \(words)\n".utf8))
  exit(status)
}

let environment = ProcessInfo.processInfo.environment
let arguments = Array(CommandLine.arguments.dropFirst())
let (badUsage, badSettings, failed): (Int32, Int32, Int32) = (64, 78, 1)

if arguments == ["--help"] {
  print(usage)
  exit(0)
}
guard let secret = environment["SECRET"], !secret.isEmpty else {
  fail("set SECRET, from which the tokens of users are made", status: badSettings)
}
let tokens = Tokens(secret: secret)

if arguments.count == 2, arguments[0] == "token" {
  print(tokens.token(of: arguments[1]))
} else if arguments.count <= 1, let port = Int(arguments.first ?? "3000"), (0...65_535).contains(port) {
  guard let sendersToken = environment["SENDERS_TOKEN"], !sendersToken.isEmpty else {
    fail("set SENDERS_TOKEN, which programs show that send notes", status: badSettings)
  }
  let notifier = NotifierServer(
    tokens: tokens, sendersToken: sendersToken, database: environment["DATABASE_URL"], node: environment["NODE"])
  let application = notifier.application(port: port) { print("notifier listens on http://127.0.0.1:\($0)") }
  do { try await notifier.socketIO.run(application, stopsOnSignals: true) } catch {
    fail("cannot serve on port \(port): \(error). Is something else there? Give another port", status: failed)
  }
} else {
  fail("usage:\n\(usage)", status: badUsage)
}
