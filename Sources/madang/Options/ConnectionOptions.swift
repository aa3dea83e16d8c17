import ArgumentParser
import Foundation
import MadangAPI
import MadangClient

/// The server, the application's key and the output format.
struct ConnectionOptions: ParsableArguments {
  @Option(help: ArgumentHelp("The server, such as http://127.0.0.1:8080.", valueName: "url"))
  var server: String?

  @Option(help: "The API key. Default: MADANG_KEY, the profile's, else the development key.")
  var key: String?

  @OptionGroup var trust: CAFileOption
  @OptionGroup var profileOption: ProfileOption
  @OptionGroup var printing: JSONOption

  var json: Bool { printing.json }

  /// Runs `body` for the person of the profile, and closes the connections afterwards.
  ///
  /// Tokens of a profile are sent only to the server that issued them.
  func withPerson(_ body: (Person) async throws -> Void) async throws {
    let file = profileOption.file
    let profile = try file.load()
    let origin = try server ?? Environment.current.server ?? profile?.server ?? missingServer(file)
    let server = try Self.normalised(origin)
    let ours = profile.flatMap { $0.server == server ? $0 : nil }
    var configuration = MadangClient.Configuration(
      server: server, apiKey: key ?? Environment.current.key ?? ours?.key ?? DevelopmentKey.october2024)
    configuration.authorities = try trust.authorities
    let client = MadangClient(
      configuration: configuration, store: SessionStore(load: { ours?.tokens }, save: { try file.keep($0, of: server) })
    )
    do {
      try await body(Person(client: client, profile: file, workspaceInUse: ours?.workspace, output: printing.output))
    } catch {
      // The first error is the one to report.
      try? await client.close()
      if let profile, ours == nil, case MadangError.signedOut = error {
        throw Failure(
          "this profile is not signed in at \(server): \(file.url.path) belongs to \(profile.server); sign in with `madang login --server "
            + "\(server)`, or give another --profile")
      }
      throw error
    }
    try await client.close()
  }

  private func missingServer(_ file: ProfileFile) throws -> String {
    throw ValidationError(
      "No server is known: there is no profile \(file.url.path). Give --server URL, set MADANG_SERVER, or sign in first."
    )
  }

  static func normalised(_ text: String) throws -> String {
    var origin = text.contains("://") ? text : "http://" + text
    while origin.hasSuffix("/") { origin.removeLast() }
    guard let url = URL(string: origin), ["http", "https"].contains(url.scheme), url.host()?.isEmpty == false,
      url.path().isEmpty, url.query() == nil
    else { throw ValidationError("'\(text)' is not a server: give a URL such as http://127.0.0.1:8080.") }
    return origin
  }
}
