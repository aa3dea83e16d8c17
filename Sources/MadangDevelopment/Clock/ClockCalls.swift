import HTTPTypes
import Hummingbird
import MadangAPI
import MadangCore
import MadangServer

/// Calls about the clock: `GET /_dev/clock`, and `POST /_dev/clock` with changes: `{"advance": TIME}`, `{"set": DATE}`,
/// `{"rate": TIMES}`, `{"freeze": true}`, `{"resume": true}`; several apply in this order.
struct ClockCalls: Sendable {
  let clock: Clock

  func respond(to call: DevelopmentCall) async throws -> Response? {
    switch call.method {
    case .get: return try await call.answer { ClockReading(clock) }
    case .post:
      return try await call.answer {
        try change(try await call.body())
        return ClockReading(clock)
      }
    default: return nil
    }
  }

  private func change(_ change: Change) throws {
    guard !change.isEmpty else { throw BadCall("the body has none of \(Change.names.joined(separator: ", "))") }
    let advance = try change.advance?.milliseconds(of: "advance", limit: Clock.longestAdvance)
    let moment = try change.set.map { text in
      guard let moment = TimeText.date(text), moment >= 0 else {
        throw WorldError("set: a date like 2026-01-05T09:00:00Z, from 1970 on")
      }
      return moment
    }
    if let advance, clock.now > Clock.latest - advance {
      throw WorldError("advance: the clock ends with the year 9999; set it back with \"set\"")
    }
    if let rate = change.rate {
      guard (0...Clock.fastest).contains(rate) else {
        throw WorldError("rate: how many times as fast as real time, from 0 to \(Int(Clock.fastest))")
      }
    }
    if change.freeze == false {
      throw WorldError("freeze: only true is allowed, which stops the clock; use \"resume\": true to let it run")
    }
    if change.resume == false {
      throw WorldError("resume: only true is allowed, which lets the clock run; use \"freeze\": true to stop it")
    }
    if let advance { clock.advance(milliseconds: advance) }
    if let moment { clock.set(moment) }
    if let rate = change.rate { clock.run(at: rate) }
    if change.freeze ?? false { clock.run(at: 0) }
    if change.resume ?? false { clock.run(at: 1) }
  }

  private struct Change: CallFields {
    static let names = ["advance", "set", "rate", "freeze", "resume"]

    let advance: GivenTime?
    let set: String?
    let rate: Double?
    let freeze: Bool?
    let resume: Bool?

    var isEmpty: Bool { advance == nil && set == nil && rate == nil && freeze == nil && resume == nil }
  }
}

extension MadangCore.Clock {
  /// The most that one call moves a clock.
  package static let longestAdvance: Duration = .seconds(1_000_000_000)
}

/// The state of a clock.
package struct ClockReading: Codable, Sendable {
  package let now: String
  /// How many times as fast as real time.
  package let rate: Double

  init(_ clock: Clock) { (now, rate) = (WireDate.string(clock.now), clock.rate) }
}
