/// Describes itself by its name only. Swift describes a value with all its content, and libraries log descriptions of
/// services, which would include passwords, keys and tokens.
public protocol Undescribed: CustomStringConvertible, CustomDebugStringConvertible {}

extension Undescribed {
  public var description: String { "\(Self.self)" }
  public var debugDescription: String { description }
}

extension ServerSettings: Undescribed {}
