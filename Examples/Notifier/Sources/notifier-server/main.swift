import Foundation
import Notifier

// SECRET=... SENDERS_TOKEN=... [DATABASE_URL=postgres://... NODE=a] notifier-server [PORT]
// notifier-server token USER          prints the token of a user
let environment = ProcessInfo.processInfo.environment
guard let secret = environment["SECRET"], !secret.isEmpty else {
  FileHandle.standardError.write(Data("set SECRET, from which the tokens of users are made\n".utf8))
  exit(78)
}
let tokens = Tokens(secret: secret)
let arguments = CommandLine.arguments.dropFirst()

if arguments.first == "token", let user = arguments.dropFirst().first {
  print(tokens.token(of: user))
} else {
  guard let sendersToken = environment["SENDERS_TOKEN"], !sendersToken.isEmpty else {
    FileHandle.standardError.write(Data("set SENDERS_TOKEN, which programs show that send notes\n".utf8))
    exit(78)
  }
  let notifier = NotifierServer(
    tokens: tokens, sendersToken: sendersToken, database: environment["DATABASE_URL"], node: environment["NODE"])
  let port = arguments.first.flatMap { Int($0) } ?? 3000
  let application = notifier.application(port: port) { print("notifier listens on http://127.0.0.1:\($0)") }
  try await notifier.socketIO.run(application, stopsOnSignals: true)
}
