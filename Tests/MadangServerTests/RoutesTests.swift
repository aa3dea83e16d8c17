import HTTPTypes
import MadangAPI
import Testing

@testable import MadangServer

@Suite("The table of routes")
struct RoutesTests {
  @Test("no row without a key hides a route of an edition", arguments: EditionName.allCases)
  func withoutKey(_ edition: EditionName) {
    let routes = Routes.all.of(edition).routes
    #expect(!routes.isEmpty)
    for route in routes {
      let path = RequestTarget(route.template).segments
      #expect(Routes.all.withoutKey.find(route.method.rawValue, path) == nil, "\(route.template)")
    }
  }

  @Test("only answers that caches must not keep set the cookie of sockets", arguments: EditionName.allCases)
  func cookies(_ edition: EditionName) {
    let rows = Routes.all.of(edition)
    for route in rows.routes {
      let row = rows.find(route.method.rawValue, RequestTarget(route.template).segments)?.row
      #expect(row?.setsCookie == !route.template.hasPrefix("/v1/static/"), "\(route.template)")
    }
  }

  @Test("every header name of the server is valid, and no two are the same")
  func headerNames() {
    let names: [HTTPField.Name] = [
      .apiKey, .refreshToken, .reason, .explanation, .doctor, .forwarded, .forwardedFor, .forwardedProto,
      .forwardedHost, .realIP, .referrerPolicy, .secFetchSite,
    ]
    #expect(Set(names).count == 12)
  }
}
