import Foundation

/// Describes errors of files.
enum FileProblem {
  /// The system's message, such as `No such file or directory`, if the system refused; otherwise Foundation's.
  static func words(of error: any Error) -> String {
    let cause = (error as NSError).userInfo[NSUnderlyingErrorKey] as? POSIXError
    return cause.map { String(cString: strerror($0.code.rawValue)) } ?? error.localizedDescription
  }
}
