/// Why a server could not start, in words for its operator.
public struct SetupError: Error, CustomStringConvertible {
  public let description: String
  /// The port that another program uses, if that is the reason.
  package let takenPort: Int?

  public init(_ description: String) { self.init(description, takenPort: nil) }

  package init(_ description: String, takenPort: Int?) { (self.description, self.takenPort) = (description, takenPort) }
}
