import MadangAPI
import MadangClient

/// The exit statuses for scripts, besides 0 (success); names as in `sysexits.h`. Most wrong usage is detected by the argument parser.
enum ExitStatus: Int32 {
  case failed = 1
  case usage = 64
  case unavailable = 69
  /// The operation may or may not have happened.
  case unknown = 74
}

extension MadangError {
  var exitStatus: ExitStatus {
    if case .unreachable = self { .unavailable } else { .failed }
  }

  /// What the caller can do about it.
  var cure: String? {
    switch self {
    case .signedOut: "sign in with `madang login`"
    case .refused(.badKey, _, _):
      "give the server's key of edition 2024-10 with --key; it is in the file secrets/api-key-2024-10 of the server's data directory"
    case .unintelligible(200, _): "if this key is for edition 2024-01, give a key of edition 2024-10 with --key"
    default: nil
    }
  }
}

/// A command failed for a reason that was found locally.
struct Failure: Error {
  let message: String
  let status: ExitStatus

  init(_ message: String, _ status: ExitStatus = .failed) { (self.message, self.status) = (message, status) }
}
