import MadangCore
import MadangServer

// The times of an effect have two notations: `time`, a length of time as everywhere, and the older `milliseconds`.
extension FaultEffect: CallFields {
  package static let names = ["time"] + Field.allCases.map(\.rawValue)
  package static let whole = "an effect"

  private enum TimeField: String, CodingKey {
    case time
  }

  package init(from decoder: any Decoder) throws {
    let fields = try decoder.container(keyedBy: Field.self)
    func read<Value: Decodable>(_ field: Field) throws -> Value? {
      try fields.decodeIfPresent(Value.self, forKey: field)
    }
    self.init(try fields.decode(Kind.self, forKey: .kind))
    let time = try decoder.container(keyedBy: TimeField.self).decodeIfPresent(GivenTime.self, forKey: .time)
    milliseconds = try read(.milliseconds)
    if let time {
      guard milliseconds == nil else {
        throw BadCall("effect.milliseconds: is not allowed with 'time', which says the same; leave one out")
      }
      let longest = kind == .restart ? FaultRule.Limits.restart : FaultRule.Limits.milliseconds
      milliseconds = Int(try time.milliseconds(of: "effect.time", limit: .milliseconds(longest)))
    }
    jitter = try Self.jitter(fields, isInSeconds: time != nil)
    if let time: GivenTime = try read(.retryAfter) {
      guard time.milliseconds.isMultiple(of: 1000) else { throw BadCall("effect.retryAfter: whole seconds") }
      retryAfter = Int(time.milliseconds / 1000)
    }
    (bytes, status, code, body) = (try read(.bytes), try read(.status), try read(.code), try read(.body))
    (contentType, after, count) = (try read(.contentType), try read(.after), try read(.count))
    (closeCode, message, overtaken) = (try read(.closeCode), try read(.message), try read(.overtaken))
    bytesPerSecond = try read(.bytesPerSecond)
  }

  /// A number has the unit of the field beside it.
  private static func jitter(_ fields: KeyedDecodingContainer<Field>, isInSeconds: Bool) throws -> Int? {
    guard fields.contains(.jitter) else { return nil }
    if !isInSeconds, let number = try? fields.decode(Double.self, forKey: .jitter) {
      guard let whole = Int(exactly: number) else {
        throw BadCall("effect.jitter: whole milliseconds, or text like 50ms")
      }
      return whole
    }
    let limit = Duration.milliseconds(FaultRule.Limits.milliseconds)
    return Int(try fields.decode(GivenTime.self, forKey: .jitter).milliseconds(of: "effect.jitter", limit: limit))
  }
}
