import Hummingbird
import Logging
import MadangCore
import MadangOperations
import MadangServer

/// Builds a server in development mode that has stand-ins for providers and their calls, but no other part of the kit (`dev.kit` is
/// false). It is the only server on an embedded database.
package func makeServerWithStandIns(_ settings: ServerSettings, logger: Logger) async throws -> MadangServer {
  let (clock, ids, current) = (MadangCore.Clock(), IDSource(), CurrentServer())
  let standIns = StandIns(clock: clock, ids: ids) { _ in }
  let waits = Waits()
  var surroundings = Surroundings()
  surroundings.standIns = standIns.providers
  surroundings.requests = { request, channel, isForOperators, answer in
    if request.head.isDevelopmentCall, let server = current.server,
      let response = try await server.answerDevelopment(
        request, over: channel, isForOperators: isForOperators, StandInCalls(standIns: standIns, waits: waits).respond)
    {
      return response
    }
    return try await answer(request).response
  }
  let server = try await buildServer(
    settings, clock: clock, ids: ids, isAlone: true, surroundings: surroundings, logger: logger)
  current.put(.init(server: server, calls: CallsUnderWay(), standIns: standIns))
  return server
}
