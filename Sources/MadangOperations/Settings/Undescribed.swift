/// Described by its name only. Swift describes a value by all that it holds, and libraries describe services in their logs:
/// passwords, keys and tokens would be there.
public protocol Undescribed: CustomStringConvertible, CustomDebugStringConvertible {}

extension Undescribed {
  public var description: String { "\(Self.self)" }
  public var debugDescription: String { description }
}

extension ServerSettings: Undescribed {}
