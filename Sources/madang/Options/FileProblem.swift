import Foundation

/// Errors of files, for people.
enum FileProblem {
  /// The system's words, such as `No such file or directory`, where the system refused; else Foundation's.
  static func words(of error: any Error) -> String {
    let cause = (error as NSError).userInfo[NSUnderlyingErrorKey] as? POSIXError
    return cause.map { String(cString: strerror($0.code.rawValue)) } ?? error.localizedDescription
  }
}
