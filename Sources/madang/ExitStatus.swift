import MadangClient

/// The statuses scripts rely on, besides 0 (done) and 64 (usage, from the argument parser); `sysexits.h` names 69.
enum ExitStatus: Int32 {
  case failed = 1
  case unavailable = 69
}

extension MadangError {
  var exitStatus: ExitStatus {
    if case .unreachable = self { .unavailable } else { .failed }
  }
}

/// A command could not do what it was asked, for a reason found on this side.
struct Failure: Error {
  let message: String

  init(_ message: String) { self.message = message }
}
