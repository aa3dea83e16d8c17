import MadangTesting
import Testing
import TinyChat

@Test(.madang(seed: .courtyard, number: 7)) func minaSignsIn() async throws {
  let app = TinyChat(server: Madang.world.url, key: MadangWorld.apiKey)  // a small client: later yours
  try await app.signIn(email: "mina@example.com", password: "Passw0rd!")
  try await Madang.world.expect([.once(.operation("signIn").status(200))])
}
