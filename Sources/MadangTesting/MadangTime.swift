import MadangDevelopment

/// A length of time: text such as `"500ms"`, `"5s"`, `"10m"`, `"25h"` or `"30d"`, or `.seconds(5)`. The call that gets it throws
/// ``MadangTestingError`` for any other text.
public struct MadangTime: ExpressibleByStringInterpolation, Sendable {
  private enum Notation {
    case text(String)
    case duration(Duration)
  }

  private let notation: Notation

  public init(_ text: String) { notation = .text(text) }
  public init(_ duration: Duration) { notation = .duration(duration) }
  public init(stringLiteral text: String) { self.init(text) }

  public static let zero = MadangTime(.zero)
  public static func seconds(_ seconds: some BinaryInteger) -> MadangTime { MadangTime(.seconds(seconds)) }
  public static func seconds(_ seconds: Double) -> MadangTime { MadangTime(.seconds(seconds)) }
  public static func milliseconds(_ milliseconds: some BinaryInteger) -> MadangTime {
    MadangTime(.milliseconds(milliseconds))
  }

  /// The time as a duration; a longer `Duration` than `limit` becomes `limit`.
  /// - Parameter parameter: The parameter's name, for errors.
  /// - Throws: ``MadangTestingError`` for text in a wrong notation, or of a longer time than `limit`.
  func duration(of parameter: String, limit: Duration = GivenTime.longest) throws(MadangTestingError) -> Duration {
    switch notation {
    case .text(let text):
      try MadangTestingError.wording {
        try GivenTime.duration(text, of: "\(parameter) '\(BadCall.shortened(text))'", limit: limit)
      }
    case .duration(let duration): min(duration, limit)
    }
  }
}
