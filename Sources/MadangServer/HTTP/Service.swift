import Logging
import MadangCore
import MadangOperations
import SocketIOServer

/// Everything that requests need, in one value: there are no globals, so a process can hold several servers.
///
/// A class: every request passes it on, and a copy of all its parts is expensive.
final class Service: Sendable {
  let madang: Madang
  let settings: ServerSettings
  let routes: Routes
  let callers: Callers
  let limits: Limits
  let reports: Reports
  let providers: Providers
  let links: LinkRequests
  let pages: PageFrame
  let admitted = AdmittedSockets()
  let socketIO: SocketIOServer
  /// Nil without the administrator's console.
  let console: ConsoleParts?
  let date: DateHeader
  let crossOrigin: CrossOrigin

  init(
    _ madang: Madang, _ settings: ServerSettings, _ routes: Routes, _ callers: Callers, _ limits: Limits,
    _ reports: Reports, _ providers: Providers, _ socketIO: SocketIOServer
  ) {
    (self.madang, self.settings, self.routes) = (madang, settings, routes)
    (self.callers, self.limits, self.reports) = (callers, limits, reports)
    (self.providers, self.socketIO) = (providers, socketIO)
    links = LinkRequests(madang, settings, metrics: reports.metrics)
    pages = PageFrame(settings.face)
    console =
      settings.web.admin.isOn
      ? ConsoleParts(madang, settings) { [loopback = reports.loopback] in loopback?.signs ?? [] } : nil
    date = DateHeader(clock: madang.clock)
    crossOrigin = CrossOrigin(settings, routes)
  }

  var logger: Logger { madang.logger }
}
