import MadangAPI
import MadangClient

/// The statuses scripts rely on, besides 0 (done); `sysexits.h` names the others. Most wrong usage is found by the argument parser.
enum ExitStatus: Int32 {
  case failed = 1
  case usage = 64
  case unavailable = 69
  /// It may have been done or not.
  case unknown = 74
}

extension MadangError {
  var exitStatus: ExitStatus {
    if case .unreachable = self { .unavailable } else { .failed }
  }

  /// What whoever typed the command can do about it.
  var cure: String? {
    switch self {
    case .signedOut: "sign in with `madang login`"
    case .refused(.badKey, _, _):
      "give the server's key of the edition 2024-10 with --key; the server has it in secrets/api-key-2024-10 of its data"
    case .unintelligible(200, _): "if the key is one of the edition 2024-01, give one of the edition 2024-10 with --key"
    default: nil
    }
  }
}

/// A command could not do what it was asked, for a reason found on this side.
struct Failure: Error {
  let message: String
  let status: ExitStatus

  init(_ message: String, _ status: ExitStatus = .failed) { (self.message, self.status) = (message, status) }
}
