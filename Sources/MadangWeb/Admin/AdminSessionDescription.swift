import MadangAPI
import MadangCore
import MadangOperations

/// What the console's page knows of its session and of the server.
struct AdminSessionDescription: Encodable {
  struct Person: Encodable {
    let number: Int64
    let name: String
  }

  struct Server: Encodable {
    let name: String
    /// The server's own URL; null if it is not set.
    let address: String?
    let version: String
    /// Whether texts of chats are shown.
    let content: Bool
    let mail: Bool
    let idleMinutes: Int
  }

  /// Null before the sign-in.
  let administrator: Person?
  let proof: String
  let server: Server

  /// - Parameter token: The value of the cookie that the page has from now on.
  init(_ session: AdministratorSession?, token: String, of call: AdminCall) {
    let settings = call.settings
    administrator = session.map { Person(number: $0.account, name: $0.name) }
    proof = call.proof(of: token)
    let url = PublicURL(call.madang.settings.publicURL)
    server = Server(
      name: settings.web.name.isEmpty ? url?.host ?? settings.face.name : settings.web.name, address: url?.origin,
      version: "Madang \(settings.version)", content: settings.web.admin.showsContent,
      mail: call.madang.settings.sendsMail, idleMinutes: settings.web.admin.idleMinutes)
  }
}

/// The session after a setup, with the codes that are shown this once.
struct AdminSetupDescription: Encodable {
  let administrator: AdminSessionDescription.Person?
  let proof: String
  let server: AdminSessionDescription.Server
  let recoveryCodes: [String]

  init(_ session: AdminSessionDescription, recoveryCodes: [String]) {
    (administrator, proof, server) = (session.administrator, session.proof, session.server)
    self.recoveryCodes = recoveryCodes
  }
}
